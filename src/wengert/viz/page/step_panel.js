// The panel of a step: the gradient that arrives, the rule, what it reads, and the gradients that are passed on.
const textOf = (lines) => lines.map((line) => STRINGS[line]).join("\n");

// A tensor, or something that a rule reads: `head` is -1 of what is not a tensor.
function valueBlock(value) {
  if (value === null) return element("p", { class: "pale" }, "nothing, which stands for zero");
  const [head, body, norm] = value;
  const words = head < 0 ? [] : [STRINGS[head], ...(norm === null ? [] : [`norm ${readableNorm(Number(norm))}`])];
  const parts = [element("pre", { tabindex: body.length > 1 ? "0" : null, role: body.length > 1 ? "group" : null, "aria-label": body.length > 1 ? "Elements" : null }, textOf(body))];
  if (words.length) parts.unshift(element("p", { class: "pale" }, words.join(", ")));
  return element("div", { class: "value" }, ...parts);
}

// The same in a few words.
function valueInWords(value) {
  if (value === null) return "nothing";
  const [head, body, norm] = value;
  if (head < 0) return textOf(body);
  return `${STRINGS[head]}${body.length === 1 ? ` ${textOf(body)}` : norm === null ? "" : `, norm ${readableNorm(Number(norm))}`}`;
}

function ruleBlock([inputs, source, place, native, remark]) {
  const about = [`gradient of ${inputs.map((name) => STRINGS[name]).join(", ")}`, STRINGS[place]];
  if (STRINGS[native]) about.push(`runs natively as ${STRINGS[native]}`);
  const title = element("p", { class: "pale" }, about.join(" \u00b7 "));
  const code = source.length ? element("pre", { class: "rule", tabindex: "0", role: "group", "aria-label": "Source of the rule" }, element("code", {}, textOf(source)))
    : element("p", {}, "Its source is not available.");
  return element("div", {}, title, code, STRINGS[remark] ? element("p", { class: "pale" }, STRINGS[remark]) : null);
}

function passedBlock(stepper, [name, target, returned, delivered, total]) {
  const { nodes } = stepper;
  const button = element("button", { type: "button", class: "link", onclick: () => stepper.goToNode(target) }, nodes.title(target) || "(no name)");
  const parts = [element("p", {}, `for ${STRINGS[name]}, to `, button), valueBlock(returned)];
  if (delivered) parts.push(element("p", { class: "pale" }, "which the engine reduces to the shape and dtype of the input:"), valueBlock(delivered));
  return element("li", {}, ...parts);
}

function section(title, ...parts) {
  return parts.length ? element("section", {}, element("h3", {}, title), ...parts) : null;
}

function stepPanel(stepper, at) {
  const { nodes, steps } = stepper, step = steps[at];
  const isLeaf = nodes.kind(step.node) >= PARAMETER;
  const arrives = step.arrives.flatMap((value, nr) =>
    step.arrives.length > 1 ? [element("p", {}, `at output ${nr}`), valueBlock(value)] : [valueBlock(value)]);
  return [
    heading(nodes.title(step.node) || "(no name)", `[${at}], ${isLeaf ? "a leaf" : `operator ${STRINGS[step.operator]}`}`),
    facts([["module", isLeaf ? "" : nodes.moduleInWords(step.node)], ["name scope", nodes.scope(step.node)], ["made at", nodes.source(step.node)]]),
    section("Arrives", ...arrives),
    step.rules.length ? null : element("p", {}, "No gradient arrives, so its rule does not run."),
    section(step.rules.length > 1 ? "Rules that run" : "Rule that runs", ...step.rules.map(ruleBlock)),
    section("It reads", ...(step.reads.length ? [element("table", {}, element("tbody", {}, ...step.reads.map(([name, value]) =>
      element("tr", {}, element("th", { scope: "row" }, STRINGS[name]), element("td", {}, valueBlock(value))))))] : [])),
    section("Passes on", ...(step.passes.length ? [element("ul", { class: "passes" }, ...step.passes.map((passed) => passedBlock(stepper, passed)))] : [])),
  ].filter((part) => part !== null);
}

// What is said before the first and after the last step.
function beginPanel(gradient) {
  return [heading("Nothing has run yet", "before the pass"), section("The gradient of the result", valueBlock(gradient)),
    element("p", {}, "Step delivers it to the newest node and runs that node\u2019s rule. Arrows of the graph follow the computation; gradients go the other way.")];
}

function endPanel(steps) {
  return [heading("All nodes have run", "after the pass"),
    element("p", {}, `${counted(steps.length, "step")}. Each leaf has the sum of all gradients that were passed on to it; loss.backward() would have added it to its .grad.`)];
}

// What has been delivered to the leaves until a step has run. A change of the step changes only the rows that it concerns.
class LeafList {
  constructor(stepper) {
    this.nodes = stepper.nodes;
    this.history = new Map(); // of each leaf: the steps that concern it, with what it has from then on
    this.concerned = stepper.steps.map(() => []); // by each step
    const note = (at, leaf, entry) => {
      if (this.nodes.kind(leaf) < PARAMETER) return;
      if (!this.history.has(leaf)) this.history.set(leaf, []);
      this.history.get(leaf).push({ at, ...entry });
      this.concerned[at].push(leaf);
    };
    stepper.steps.forEach((step, at) => {
      note(at, step.node, { value: step.arrives[0], state: "complete" });
      for (const [, target, , , total] of step.passes) note(at, target, { value: total, state: "so far" });
    });
    this.rows = new Map(stepper.leaves.map((leaf) => [leaf, element("li")]));
    this.position = -1;
    for (const leaf of this.rows.keys()) this.write(leaf);
    this.list = element("ul", { class: "plain", "aria-labelledby": "leaves-heading" }, ...this.rows.values());
  }

  goTo(position) {
    const first = Math.max(0, Math.min(this.position, position)), last = Math.max(this.position, position);
    this.position = position;
    const concerned = new Set(this.concerned.slice(first, last + 1).flat());
    for (const leaf of concerned) if (this.rows.has(leaf)) this.write(leaf);
    for (const leaf of this.concerned[position] ?? []) this.rows.get(leaf)?.scrollIntoView({ block: "nearest" });
  }

  write(leaf) {
    const known = this.history.get(leaf)?.findLast(({ at }) => at <= this.position);
    const row = this.rows.get(leaf);
    row.className = known?.state === "so far" && known.at === this.position ? "fresh" : "";
    row.replaceChildren(
      element("p", { class: "leaf" }, this.nodes.title(leaf) || "(no name)", " ", element("small", {}, known?.state ?? "nothing yet")),
      known ? valueBlock(known.value) : "");
  }
}
