// Python in a thread of its own: the page stays usable while a cell runs, and can stop it.
// Messages in: {start: {runtime, wheel, cells}}, {run: {id, source}}. Messages out: {status}, {ready}, {id, text}, {id, outputs}.
let python, runCell, current = null, runs = 0;

const status = (text) => postMessage({ status: text });
const print = (text) => postMessage({ id: current, text: `${text}\n` });

async function start({ runtime, wheel, cells }) {
  const begun = performance.now();
  status("Loading Python …");
  const { loadPyodide } = await import(new URL("pyodide.mjs", runtime));
  python = await loadPyodide({ indexURL: runtime, stdout: print, stderr: print, env: { MPLBACKEND: "agg", HOME: "/home/pyodide" } });
  status("Loading NumPy …");
  await python.loadPackage("numpy", { messageCallback: () => {} });
  python.runPython("import numpy");
  status("Loading wengert …");
  const loading = performance.now();
  await python.loadPackage(wheel, { messageCallback: () => {} });
  const loaded = performance.now();
  python.runPython("import wengert");
  const imported = performance.now();
  python.FS.writeFile("/home/pyodide/cells.py", new Uint8Array(await read(cells)));
  runCell = python.runPython("import sys; sys.path.insert(0, '/home/pyodide'); import cells; cells.run");
  postMessage({ ready: { start: loading - begun, load: loaded - loading, import: imported - loaded,
    version: python.version, wengert: python.runPython("wengert.__version__") } });
}

async function read(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status} for ${url}`);
  return response.arrayBuffer();
}

async function run({ id, source }) {
  current = id;
  let outputs;
  try {
    await python.loadPackagesFromImports(source, { messageCallback: () => {} });
    if (/\bscipy\b/.test(source)) await python.loadPackage("scipy", { messageCallback: () => {} });  // wengert.scipy, too
    outputs = JSON.parse(await runCell(source, ++runs));
  } catch (error) {
    outputs = [["error", String(error)]];
  }
  postMessage({ id, outputs });
}

let queue = Promise.resolve();
onmessage = ({ data }) => {
  if (data.start) queue = start(data.start).catch((error) => postMessage({ failed: String(error) }));
  else queue = queue.then(() => run(data.run));
};
