"""Text of language models."""

import json
import os
import shutil
import unittest
import unittest.mock

import nnrt
from model_files import DEVICE, ModelTest
from nnrt._text import _pieces

TEXT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "text")
DECODER = os.path.join(TEXT, "decode_int8.onnx")
PROMPT = "Ge1:1 In the beginning God created the "


class Text(ModelTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(TEXT, "expected_greedy.txt"), encoding="ascii") as file:
            self.expected = file.read()

    def greedy(self, count):
        return self.expected[len(PROMPT):][:count]

    def test_yields_pieces(self):
        self.assertTrue(self.expected.startswith(PROMPT))
        pieces = list(nnrt.generate(DECODER, PROMPT, DEVICE, tokens=12))
        self.assertEqual(pieces, list(self.greedy(12)))

    def test_ends_before_a_stop(self):
        stop = self.greedy(12)[6:9]
        text = "".join(nnrt.generate(DECODER, PROMPT, DEVICE, tokens=12, stop=stop))
        self.assertEqual(text, self.greedy(12)[:self.greedy(12).index(stop)])

    def test_follows_the_files_of_the_folder(self):
        shutil.copy(DECODER, self.folder)
        end = self.greedy(12)[5]
        with open(os.path.join(self.folder, "generation_config.json"), "w", encoding="ascii") as file:
            json.dump({"eos_token_id": ord(end), "do_sample": True, "temperature": 3.0}, file)
        text = "".join(nnrt.generate(self.folder, PROMPT, DEVICE, tokens=12, temperature=0))
        self.assertEqual(text, self.greedy(12)[:self.greedy(12).index(end)])
        sampled = ["".join(nnrt.generate(self.folder, PROMPT, DEVICE, tokens=12, seed=seed)) for seed in (1, 1, 2)]
        self.assertEqual(sampled[0], sampled[1])
        self.assertNotEqual(sampled[0], sampled[2])

    def test_characters_come_whole(self):
        tokens = unittest.mock.Mock(next=unittest.mock.Mock(side_effect=[b"a\xc3", b"\xa9", b"", b"\xffb", b"\xe4\xb8", None]))
        self.assertEqual(list(_pieces(tokens)), ["a", "\u00e9", "\ufffdb", "\ufffd"])

    def test_refuses_before_the_first_piece(self):
        for expected, options in (("The number of tokens is 0.", {"tokens": 0}), ("A stop text is empty.", {"stop": ""}),
                                  ("The temperature is not a number of at least 0.", {"temperature": -1.0}),
                                  ("top_p is not between 0 and 1.", {"top_p": 2.0})):
            with self.assertRaisesRegex(nnrt.Error, expected):
                nnrt.generate(DECODER, PROMPT, DEVICE, **options)
        with self.assertRaisesRegex(nnrt.Error, "The prompt has no token."):
            nnrt.generate(DECODER, "", DEVICE)
        with self.assertRaises(nnrt.Error):
            nnrt.generate(os.path.join(self.folder, "none.onnx"), PROMPT, DEVICE)


if __name__ == "__main__":
    unittest.main()
