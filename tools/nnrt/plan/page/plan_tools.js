// ---- Search ----

// Text searched for a node: operator, layer, operator in the file, and output tensors.
const words = plan.nodes.map((node) => [node.label, node.layer ?? "", node.origin,
  ...node.outputs.map((id) => plan.tensors[id].name)].join("\n").toLowerCase());
const field = byId("search").querySelector("input"), count = byId("search").querySelector("output");
let found = [];

function search() {
  const text = field.value.trim().toLowerCase();
  found = text ? words.flatMap((word, i) => word.includes(text) && plan.nodes[i].kind === "operation" ? [i] : []) : [];
  const hits = new Set(found);
  shapes.forEach((shape, i) => {
    shape.classList.toggle("found", hits.has(i));
    shape.classList.toggle("other", Boolean(text) && !hits.has(i));
  });
  rows.forEach((row, i) => { row.hidden = Boolean(text) && !hits.has(i); });
  count.textContent = text ? `${found.length} of ${operations.length}` : "";
  byId("operations").scrollTop = 0;
  if (found.length) reveal(found[0]);
}
field.addEventListener("input", search);
// Enter selects the next match.
byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  if (found.length) select(found[(found.indexOf(selected) + 1) % found.length]);
});

// ---- Picture ----

// A picture has no access to the page's CSS variables, so their current values are copied.
function styleOfPicture() {
  const style = getComputedStyle(document.documentElement), text = document.querySelector("style").textContent;
  const names = new Set(text.match(/--[a-z0-9-]+(?=:)/g));
  const values = [...names].map((name) => `${name}: ${style.getPropertyValue(name)}`);
  const rules = text.split("\n").filter((line) => /^\.(node|edge)/.test(line));
  return `svg { ${values.join("; ")}; font-family: ${getComputedStyle(document.body).fontFamily} }\n${rules.join("\n")}`;
}

function pictureOfGraph() {
  const picture = make("svg", {xmlns: "http://www.w3.org/2000/svg", width: plan.width, height: plan.height,
                               viewBox: `0 0 ${plan.width} ${plan.height}`});
  const graph = world.cloneNode(true);
  graph.removeAttribute("transform");
  const ground = make("rect", {width: plan.width, height: plan.height, style: "fill: var(--ground)"});
  picture.append(make("style", {}, styleOfPicture()), ground, graph);
  return new XMLSerializer().serializeToString(picture);
}

// The limit of browsers.
function scaleOfPicture() {
  const side = 16000, area = 1e8;
  return Math.min(2, side / plan.width, side / plan.height, Math.sqrt(area / (plan.width * plan.height)));
}

async function png() {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(pictureOfGraph());
  await image.decode();
  const scale = scaleOfPicture(), canvas = make("canvas");
  canvas.width = Math.ceil(plan.width * scale);
  canvas.height = Math.ceil(plan.height * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

byId("save").addEventListener("click", async () => {
  const address = URL.createObjectURL(await png());
  make("a", {href: address, download: `${plan.model}.png`}).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
});

// ---- What a reader sees first ----

select(-1);
showTop();
