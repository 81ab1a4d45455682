# cmake -DTOOL=nnrt -DDEVICE=cpu|gpu -DMODELS=FOLDER -P greedy_text.cmake: generates the text in MODELS/expected_greedy.txt,
# with and without a prefill model. OPTIONS: further options of nnrt generate, which then runs with the prefill model only.
file(READ ${MODELS}/expected_greedy.txt expected)
string(STRIP "${expected}" expected)
set(prompt "Ge1:1 In the beginning God created the ")
foreach(prefill IN ITEMS "--prefill;${MODELS}/prefill_int8.onnx" "")
  if(OPTIONS AND NOT prefill)
    continue()
  endif()
  execute_process(COMMAND ${TOOL} generate ${MODELS}/decode_int8.onnx ${prefill} ${OPTIONS} -d ${DEVICE} -p ${prompt} -n 200
    OUTPUT_VARIABLE text ERROR_VARIABLE times RESULT_VARIABLE code)
  message("${times}")
  string(STRIP "${text}" text)
  if(NOT code EQUAL 0 OR NOT text STREQUAL expected)
    message(FATAL_ERROR "nnrt generate ${prefill} ended with ${code} and wrote\n${text}\ninstead of\n${expected}")
  endif()
endforeach()
