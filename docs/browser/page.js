// The page: notebooks, their cells, and the outputs that the worker sends.
const byId = (id) => document.getElementById(id);
const parameters = new URLSearchParams(location.search);
const here = (path) => new URL(path, document.baseURI).href;
const config = await (await fetch("config.json")).json();
const runtime = here(parameters.get("runtime") ?? config.runtime);
const waiting = new Map();
let worker, cells = [], count = 0;

function element(tag, properties = {}, ...children) {
  const result = Object.assign(document.createElement(tag), properties);
  result.append(...children);
  return result;
}

const say = (text) => { byId("status").textContent = text; };

function start() {
  worker?.terminate();
  for (const finish of waiting.values()) finish([["error", "Python was restarted."]]);
  waiting.clear();
  byId("run-all").disabled = true;
  delete document.documentElement.dataset.ready;
  worker = new Worker("worker.js", { type: "module" });
  worker.onmessage = ({ data }) => receive(data);
  worker.onerror = (event) => say(`The worker failed: ${event.message}`);
  worker.postMessage({ start: { runtime, wheel: here(config.wheel), cells: here("cells.py") } });
}

function receive(message) {
  if (message.status) say(message.status);
  else if (message.failed) say(`Python could not be started from ${runtime}: ${message.failed}`);
  else if (message.ready) {
    const { version, wengert, ...times } = message.ready;
    say(`Ready: wengert ${wengert}, Pyodide ${version}, imported in ${(times.import / 1000).toFixed(1)} s`);
    document.documentElement.dataset.ready = JSON.stringify(times);
    byId("run-all").disabled = false;
  } else if (message.text !== undefined) outputOf(message.id)?.append(element("pre", { textContent: message.text }));
  else {
    waiting.get(message.id)?.(message.outputs);
    waiting.delete(message.id);
  }
}

const outputOf = (id) => cells.find((cell) => cell.id === id)?.output;

function shown([kind, data]) {
  if (kind === "text/html") return element("iframe", { srcdoc: data, sandbox: "allow-scripts", title: "Output" });
  if (kind === "image/png") return element("img", { src: `data:image/png;base64,${data}`, alt: "Figure" });
  return element("pre", { textContent: data, className: kind === "error" ? "error" : "" });
}

async function run(cell) {
  cell.id = ++count;
  cell.output.replaceChildren();
  cell.box.classList.add("running");
  const finished = new Promise((resolve) => waiting.set(cell.id, resolve));
  worker.postMessage({ run: { id: cell.id, source: cell.source.value } });
  const outputs = await finished;
  cell.output.append(...outputs.map(shown));
  cell.box.classList.remove("running");
  cell.box.dataset.done = outputs.some(([kind]) => kind === "error") ? "error" : "ok";
  return cell.box.dataset.done === "ok";
}

async function runAll() {
  for (const cell of cells) if (!await run(cell)) break;
}

function codeCell(source) {
  const area = element("textarea", { value: source, spellcheck: false, ariaLabel: "Python" });
  const fit = () => { area.rows = area.value.split("\n").length; };
  const output = element("div", { className: "output", ariaLive: "polite" });
  const button = element("button", { type: "button", textContent: "Run", title: "Shift+Enter" });
  const box = element("div", { className: "code" }, element("div", { className: "input" }, area, button), output);
  const cell = { box, source: area, output, id: 0 };
  area.addEventListener("input", fit);
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.shiftKey) return;
    event.preventDefault();
    run(cell);
  });
  button.addEventListener("click", () => run(cell));
  fit();
  cells.push(cell);
  return box;
}

async function open(name) {
  const notebook = await (await fetch(`notebooks/${name}.json`)).json();
  cells = [];
  byId("cells").replaceChildren(...notebook.cells.map(({ html, source }) =>
    source === undefined ? element("div", { innerHTML: html }) : codeCell(source)));
  for (const button of byId("notebooks").querySelectorAll("button"))
    button.setAttribute("aria-current", String(button.dataset.name === name));
  document.title = `${notebook.title} – wengert in the browser`;
  history.replaceState(null, "", `${location.search}#${name}`);
}

for (const { name, title } of config.notebooks) {
  const button = element("button", { type: "button", textContent: title });
  button.dataset.name = name;
  button.addEventListener("click", () => open(name));
  byId("notebooks").append(element("li", {}, button));
}
byId("run-all").addEventListener("click", runAll);
byId("restart").addEventListener("click", start);
start();
const wanted = location.hash.slice(1);
await open(config.notebooks.some(({ name }) => name === wanted) ? wanted : config.notebooks[0].name);
