// The data of the page, and the formats of numbers and names.
const DATA = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
// Names may hold any character: invisible ones, and those that turn the direction of writing, are shown as a mark.
const clean = (words) => words.replace(/[\p{C}\u2028\u2029]/gu, "\ufffd");
const STRINGS = DATA.strings.map(clean);

const readableCount = (count) => count.toLocaleString("en");

function readableBytes(count) {
  if (count < 1024) return `${count} B`;
  let amount = count;
  for (const unit of ["KiB", "MiB", "GiB", "TiB"]) {
    amount /= 1024;
    if (amount < 1023.95 || unit === "TiB") return `${amount.toFixed(1)} ${unit}`;
  }
}

function readableTime(microseconds) {
  if (microseconds < 1000) return `${Number(microseconds.toPrecision(3))} \u00b5s`;
  if (microseconds < 1e6) return `${Number((microseconds / 1e3).toPrecision(3))} ms`;
  return `${Number((microseconds / 1e6).toPrecision(3))} s`;
}

function readableNorm(norm) {
  if (!Number.isFinite(norm)) return Number.isNaN(norm) ? "NaN" : "infinite";
  return norm === 0 || (norm >= 0.001 && norm < 1e5) ? String(Number(norm.toPrecision(4))) : norm.toExponential(2);
}

const counted = (count, word) => `${readableCount(count)} ${word}${count === 1 ? "" : "s"}`;

// A new element; strings become text, never markup.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const say = (words) => { byId("spoken").textContent = words; };
