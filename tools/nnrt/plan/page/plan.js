"use strict";
const plan = JSON.parse(document.getElementById("plan").textContent);
const byId = (id) => document.getElementById(id);
const color = (device) => device < 0 ? "var(--io)" : `var(--device-${device % 4})`;

function make(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "rect", "path", "text", "title", "line", "style"].includes(name);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
const dot = (device) => make("span", {class: "dot", style: `--color: ${color(device)}`});

function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (count >= 1024 && unit < 3) { count /= 1024; ++unit; }
  return `${unit ? count.toFixed(1) : count} ${units[unit]}`;
}
function time(ms) {
  return ms >= 1 ? `${ms.toFixed(2)} ms` : `${(ms * 1000).toFixed(1)} \u00b5s`;
}
const cut = (text, length) => text.length > length ? text.slice(0, length - 1) + "\u2026" : text;
const many = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

const operations = plan.nodes.map((node, index) => ({node, index})).filter(({node}) => node.kind === "operation");
const total = plan.nodes.reduce((sum, node) => sum + node.ms, 0);
const percent = (ms) => `${(100 * ms / total).toFixed(1)} %`;
const sumOfBytes = (items) => items.reduce((sum, item) => sum + item.bytes, 0);
const slowest = Math.max(...plan.nodes.map((node) => node.ms), 0);

const layers = plan.nodes.some((node) => node.layer);

// ---- Header ----

document.title = `${plan.model} on ${plan.device}`;
byId("model").textContent = byId("model").title = plan.model;
{
  const parts = [many(operations.length, "operation")];
  if (plan.devices.length > 1) parts.push(many(plan.borders, "border") + " between devices");
  if (plan.arenas.length) parts.push(`${bytes(sumOfBytes(plan.arenas))} of memory planned`);
  if (total) parts.push(`${time(total)} measured`);
  byId("summary").textContent = byId("summary").title = parts.join("  \u00b7  ");
  plan.devices.forEach((device, i) => {
    const share = plan.nodes.filter((node) => node.device === i).length;
    byId("legend").append(make("li", {title: device}, dot(i), make("span", {class: "name"}, device), many(share, "operation")));
  });
}

// ---- Graph ----

const world = byId("world"), drawing = byId("drawing");
const shapes = [], paths = [];
let view = {x: 0, y: 0, scale: 1};

// A smooth path through the points, vertical at each.
function way(points) {
  let d = `M${points[0][0]},${points[0][1]}`;
  for (let i = 1; i < points.length; ++i) {
    const [a, b] = [points[i - 1], points[i]], middle = (a[1] + b[1]) / 2;
    d += `C${a[0]},${middle} ${b[0]},${middle} ${b[0]},${b[1]}`;
  }
  return d;
}

for (const edge of plan.edges) {
  const path = make("path", {class: edge.border ? "edge border" : "edge", d: way(edge.points)});
  path.append(make("title", {}, `${plan.tensors[edge.tensor].name}  ${plan.tensors[edge.tensor].shape}`));
  paths.push(path);
  world.append(path);
}
for (const edge of plan.edges.filter((edge) => edge.border && plan.tensors[edge.tensor].bytes)) {
  const [a, b] = edge.points.slice(0, 2);
  world.append(make("text", {class: "edge-size", x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2 + 3}, bytes(plan.tensors[edge.tensor].bytes)));
}
plan.nodes.forEach((node, index) => {
  const group = make("g", {
    class: node.kind === "operation" ? "node" : "node io", id: `node-${index}`, tabindex: 0, role: "button",
    transform: `translate(${node.x - node.w / 2},${node.y - node.h / 2})`, style: `--color: ${color(node.device)}`,
  });
  group.append(make("rect", {class: "box", width: node.w, height: node.h, rx: 7}));
  if (node.ms) group.append(make("rect", {class: "heat", x: 5, width: Math.max((node.w - 5) * node.ms / slowest, 1), height: node.h, rx: 3}));
  group.append(make("rect", {class: "bar", width: 5, height: node.h, rx: 2.5}));
  const room = node.w - 24 - (node.ms ? 60 : 0);
  const line = (node.layer ? node.h - 14 : node.h) / 2 - 4;
  group.append(make("text", {class: "op", x: 15, y: line}, cut(node.label, Math.floor(room / 8.4))));
  group.append(make("text", {class: "sub", x: 15, y: line + 16}, cut(node.sub, Math.floor((node.w - 24) / 6.4))));
  if (node.layer) group.append(make("text", {class: "layer", x: 15, y: line + 31}, cut(node.layer, Math.floor((node.w - 24) / 6.4))));
  if (node.ms) group.append(make("text", {class: "time", x: node.w - 9, y: line}, time(node.ms)));
  group.append(make("title", {}, `${node.layer ? node.layer + "\n" : ""}${node.label}\n${node.sub}${node.reason ? "\n" + node.reason : ""}`));
  group.addEventListener("click", () => { if (!moved) select(index); });
  group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") select(index); });
  shapes.push(group);
  world.append(group);
});

function show() {
  world.setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`);
}
const readable = .5;
const wholeScale = ({width, height}) => Math.min(width / plan.width, height / plan.height, 1.15);
function fit() {
  const box = drawing.getBoundingClientRect(), scale = wholeScale(box);
  view = {scale, x: (box.width - plan.width * scale) / 2, y: (box.height - plan.height * scale) / 2};
  show();
}
// The first screen at its own width, which may be a small part of the graph's.
function showTop() {
  const box = drawing.getBoundingClientRect(), gap = 24;
  let scale = .9, left = 0, right = 0;
  if (wholeScale(box) >= readable) return fit();
  for (let last = 0; last !== scale;) {
    last = scale;
    const seen = plan.nodes.filter((node) => (node.y - node.h / 2) * scale < box.height);
    left = Math.min(...seen.map((node) => node.x - node.w / 2)) - gap;
    right = Math.max(...seen.map((node) => node.x + node.w / 2)) + gap;
    scale = Math.max(Math.min(scale, box.width / (right - left)), readable);
  }
  // A screen too wide to be readable shows where the graph begins.
  if ((right - left) * scale > box.width) left = right = plan.nodes[0].x;
  view = {scale, x: box.width / 2 - (left + right) / 2 * scale, y: 8};
  show();
}
// Moves the graph if the node is outside or too small to read.
function reveal(index) {
  const box = drawing.getBoundingClientRect(), node = plan.nodes[index];
  if (!box.width) return;
  const left = view.x + (node.x - node.w / 2) * view.scale, top = view.y + (node.y - node.h / 2) * view.scale;
  const inside = left >= 0 && top >= 0 && left + node.w * view.scale <= box.width && top + node.h * view.scale <= box.height;
  if (inside && view.scale >= readable) return;
  const scale = Math.max(view.scale, readable);
  view = {scale, x: box.width / 2 - node.x * scale, y: box.height / 2 - node.y * scale};
  show();
}
function zoom(factor, x, y) {
  const least = Math.min(.04, wholeScale(drawing.getBoundingClientRect()));
  const scale = Math.min(Math.max(view.scale * factor, least), 4);
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  show();
}
function zoomAtCenter(factor) {
  const box = drawing.getBoundingClientRect();
  zoom(factor, box.width / 2, box.height / 2);
}
drawing.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = drawing.getBoundingClientRect();
  if (event.ctrlKey || event.metaKey) {
    zoom(Math.exp(-event.deltaY * .01), event.clientX - box.left, event.clientY - box.top);
  } else {
    view.x -= event.deltaX;
    view.y -= event.deltaY;
    show();
  }
}, {passive: false});

const pointers = new Map();
let moved = false;
drawing.addEventListener("pointerdown", (event) => {
  if (!pointers.size) moved = false;
  pointers.set(event.pointerId, event);
});
addEventListener("pointermove", (event) => {
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const others = [...pointers.values()].filter((other) => other.pointerId !== event.pointerId);
  if (others.length) {
    const distance = (at) => Math.hypot(at.clientX - others[0].clientX, at.clientY - others[0].clientY);
    const box = drawing.getBoundingClientRect();
    zoom(distance(event) / Math.max(distance(last), 1), others[0].clientX - box.left, others[0].clientY - box.top);
  } else {
    const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY;
    if (!moved && Math.hypot(dx, dy) < 3) return;
    view.x += dx;
    view.y += dy;
    show();
  }
  moved = true;
  drawing.classList.add("dragged");
  pointers.set(event.pointerId, event);
});
for (const end of ["pointerup", "pointercancel"]) {
  addEventListener(end, (event) => {
    pointers.delete(event.pointerId);
    drawing.classList.remove("dragged");
  });
}
byId("closer").addEventListener("click", () => zoomAtCenter(1.3));
byId("farther").addEventListener("click", () => zoomAtCenter(1 / 1.3));
byId("fit").addEventListener("click", fit);
byId("top").addEventListener("click", showTop);
drawing.addEventListener("click", (event) => { if (!moved && !event.target.closest(".node")) select(-1); });
addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement) return;
  const action = {"+": () => zoomAtCenter(1.3), "-": () => zoomAtCenter(1 / 1.3), "0": fit, "1": showTop, "Escape": () => select(-1)}[event.key];
  if (action && !event.ctrlKey && !event.metaKey) action();
});
addEventListener("resize", show);

// ---- Operations ----

const columns = [
  {title: "#", kind: "number", value: (node) => node.number},
  {title: "Operator", value: (node) => node.label},
  ...(total ? [
    {title: "Time", kind: "number", value: (node) => node.ms, cell: (node) => [node.ms ? time(node.ms) : ""]},
    {title: "Share", kind: "number", value: (node) => node.ms, cell: (node) => [node.ms ? percent(node.ms) : ""]},
  ] : []),
  ...(layers ? [{title: "Layer", kind: "wide", value: (node) => node.layer}] : []),
  {title: "Device", kind: "device", value: (node) => plan.devices[node.device], cell: (node) => [dot(node.device), plan.devices[node.device]]},
  {title: "Output", value: (node) => node.sub},
  ...(operations.some(({node}) => node.reason) ? [{title: "Why not on the chosen device", kind: "wide", value: (node) => node.reason}] : []),
];
const rows = new Map();
{
  const head = byId("operations").querySelector("thead"), body = byId("operations").querySelector("tbody");
  for (const {node, index} of operations) {
    const row = make("tr", {tabindex: 0});
    for (const column of columns) {
      row.append(make("td", {class: column.kind ?? ""},
        ...(column.cell ? column.cell(node) : [String(column.value(node))])));
    }
    row.addEventListener("click", () => select(index));
    row.addEventListener("keydown", (event) => { if (event.key === "Enter") select(index); });
    rows.set(index, row);
    body.append(row);
  }
  const titles = make("tr");
  columns.forEach((column, i) => {
    const button = make("button", {}, column.title), cell = make("th", {class: column.kind ?? ""}, button);
    button.addEventListener("click", () => {
      const down = cell.getAttribute("aria-sort") === "ascending" || (column.kind === "number" && i && !cell.hasAttribute("aria-sort"));
      for (const other of titles.children) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sorted = [...operations].sort((a, b) => {
        const [x, y] = [column.value(a.node), column.value(b.node)];
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
      body.append(...sorted.map(({index}) => rows.get(index)));
    });
    titles.append(cell);
  });
  head.append(titles);
  if (total) titles.children[columns.findIndex(({title}) => title === "Time")].querySelector("button").click(); // slowest first
}

// ---- Memory ----

const blocks = [];
{
  const section = byId("memory");
  if (!plan.arenas.length) section.append(make("p", {}, "The devices told nothing of their memory."));
  for (const arena of plan.arenas) {
    const device = plan.devices.indexOf(arena.device);
    const steps = Math.max(...arena.blocks.map((block) => block.last + 1), 1);
    const width = 1000, height = 380, left = 70, bottom = 26, top = 12;
    const x = (step) => left + (width - left - 12) * step / steps;
    const y = (offset) => top + (height - top - bottom) * offset / Math.max(arena.bytes, 1);
    const svg = make("svg", {viewBox: `0 0 ${width} ${height}`});
    for (let i = 0; i <= 4; ++i) {
      const at = y(arena.bytes * i / 4);
      svg.append(make("line", {class: "rule", x1: left, x2: width - 12, y1: at, y2: at}),
        make("text", {class: "axis", x: left - 8, y: at + 4, "text-anchor": "end"}, bytes(Math.round(arena.bytes * i / 4))));
    }
    for (const block of arena.blocks) {
      const shape = make("rect", {
        class: "block", x: x(block.first), y: y(block.offset), style: `--color: ${color(device)}`,
        width: x(block.last + 1) - x(block.first), height: y(block.offset + block.bytes) - y(block.offset),
      }, make("title", {}, `${block.name}\n${bytes(block.bytes)} at ${bytes(block.offset)}, steps ${block.first} to ${block.last}`));
      shape.addEventListener("click", () => { if (block.node >= 0) select(block.node); });
      blocks.push({shape, node: block.node});
      svg.append(shape);
    }
    svg.append(make("text", {class: "axis", x: left, y: height - 8}, "first step"),
      make("text", {class: "axis", x: width - 12, y: height - 8, "text-anchor": "end"}, `step ${steps - 1}`));
    section.append(make("h2", {}, `Partition ${arena.partition} on ${arena.device}`),
      make("p", {}, `${bytes(arena.bytes)} hold ${many(arena.blocks.length, "tensor")} of ${bytes(sumOfBytes(arena.blocks))}: those that are not needed at the same time share memory.`), svg);
  }
}

// ---- Details ----

let selected = -1;

// "scale 0.05, zero point 3"; the range of both if channels differ.
function quantization(tensor) {
  const range = (word, values, show) => {
    const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
    return low === high ? `${word} ${show(low)}` : `${word}s ${show(low)} to ${show(high)}`;
  };
  const parts = [range("scale", tensor.scales, (value) => String(Number(value.toPrecision(6))))];
  if (tensor.zeroPoints.length) parts.push(range("zero point", tensor.zeroPoints, String));
  if (tensor.scales.length > 1) parts.push(`${tensor.scales.length} channels`);
  return parts.join(", ");
}

function tensorRow(id) {
  const tensor = plan.tensors[id];
  const neighbours = plan.edges.filter((edge) => edge.tensor === id && (edge.from === selected || edge.to === selected));
  const other = neighbours.length ? (neighbours[0].from === selected ? neighbours[0].to : neighbours[0].from) : -1;
  let name = make("b", {}, tensor.name || "unnamed");
  if (other >= 0) {
    name = make("button", {title: plan.nodes[other].label}, tensor.name || "unnamed");
    name.addEventListener("click", () => select(other));
  }
  const facts = [tensor.type + " " + tensor.shape];
  if (tensor.bytes) facts.push(bytes(tensor.bytes));
  if (tensor.constant) facts.push("constant");
  const parts = [name, make("span", {}, facts.join(", "))];
  if (tensor.scales.length) parts.push(make("span", {class: "quantization"}, quantization(tensor)));
  return make("div", {class: "tensor"}, ...parts);
}

function describe(node) {
  const parts = [make("h2", {}, node.label)];
  if (node.layer) parts.push(make("p", {}, node.layer));
  if (node.origin) parts.push(make("p", {}, node.origin));
  if (node.kind === "operation") {
    parts.push(make("p", {class: "where"}, dot(node.device), plan.devices[node.device]));
    if (node.ms) parts.push(make("p", {}, `${time(node.ms)}, ${percent(node.ms)} of all`));
    if (node.reason) parts.push(make("p", {class: "why"}, node.reason));
  }
  for (const [title, ids] of [["Inputs", node.inputs], ["Outputs", node.outputs]]) {
    if (ids.length) parts.push(make("h3", {}, title), ...ids.map(tensorRow));
  }
  if (node.attributes.length) {
    parts.push(make("h3", {}, "Attributes"), make("dl", {}, ...node.attributes.flatMap(
      ([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  }
  return parts;
}

// The model as a whole, while nothing is selected.
function summarize() {
  const sums = (word) => {
    const groups = new Map();
    for (const {node} of operations) {
      const group = groups.get(word(node)) ?? {count: 0, ms: 0};
      groups.set(word(node), {count: group.count + 1, ms: group.ms + node.ms});
    }
    return [...groups].sort(([, a], [, b]) => b.ms - a.ms || b.count - a.count);
  };
  const rows = (groups, label) => make("div", {class: "rows"}, ...groups.flatMap(([key, {count, ms}]) => [
    make("span", {title: label(key).title}, ...label(key).parts),
    make("span", {class: "amount"}, total ? time(ms) : ""), make("span", {class: "amount"}, total ? percent(ms) : `${count}`)]));
  const shown = 12, operators = sums((node) => node.label), rest = operators.slice(shown);
  const parts = [make("h2", {}, "Summary"),
    make("h3", {}, total ? "Time by operator" : "Operations by operator"),
    rows(operators.slice(0, shown), (key) => ({title: key, parts: [key]}))];
  if (rest.length) parts.push(make("p", {}, `and ${many(rest.length, "other operator")}${total ? `, ${time(rest.reduce((sum, [, {ms}]) => sum + ms, 0))}` : ""}`));
  parts.push(make("h3", {}, total ? "Time by device" : "Operations by device"),
    rows(sums((node) => node.device), (key) => ({title: plan.devices[key], parts: [dot(key), " ", plan.devices[key]]})));
  const facts = [["Weights", bytes(sumOfBytes(plan.tensors.filter((tensor) => tensor.constant)))],
    ...(plan.arenas.length ? [["Intermediates, at their peak", bytes(sumOfBytes(plan.arenas))]] : [])];
  parts.push(make("h3", {}, "Memory"), make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
  if (!total) parts.push(make("p", {}, "nnrt plan --profile measures times."));
  parts.push(make("h3", {}, "Graph"), make("p", {}, "Click an operation to see its tensors and attributes; Esc returns to this summary."),
    make("p", {}, "Drag to move, Ctrl and the wheel (or two fingers) to zoom."));
  return parts;
}

function select(index) { // -1: nothing
  selected = index;
  shapes.forEach((shape, i) => shape.classList.toggle("selected", i === index));
  rows.forEach((row, i) => row.classList.toggle("selected", i === index));
  plan.edges.forEach((edge, i) => paths[i].classList.toggle("lit", edge.from === index || edge.to === index));
  for (const block of blocks) block.shape.classList.toggle("selected", index >= 0 && block.node === index);
  byId("details").replaceChildren(...(index < 0 ? summarize() : describe(plan.nodes[index])));
  if (index >= 0) reveal(index);
}

for (const tab of document.querySelectorAll("[role=tab]")) {
  tab.addEventListener("click", () => {
    for (const other of document.querySelectorAll("[role=tab]")) {
      other.setAttribute("aria-selected", String(other === tab));
      byId(other.dataset.view).hidden = other !== tab;
    }
    if (selected >= 0) reveal(selected); // chosen while the graph was hidden
    else if (found.length) reveal(found[0]);
  });
}
