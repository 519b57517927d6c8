"use strict";
// As much of a browser's page as coordd's scripts and page templates use, for the tests.
//
// One JSON object a line comes in: {elements, stubs, handlers, steps}. `elements` are what the page
// has, as {matches: [selectors], classes, height}; `stubs` are the vendors' own parts, by the names
// below; `handlers` are the app's message handlers. Steps are [name, argument], by the names below.
//
// One object a line goes out: {results, elements, calls}. A result is what the step gave, or
// {error}. `calls` tells, in order, what the page's scripts called: ["SIR", …], ["post", handler,
// body], ["dispatch", type, detail], ["append", tag, attributes], and what the stubs add.
const vm = require("node:vm");

/** Milliseconds that one script may run. */
const PATIENCE = 5000;

/** Parts of vendors' pages, with names declared as a page would, on the window or not. */
const STUBS = {
  genius: `window.GeniusLivePlayer = {player: {close() { record("close"); }}};`,
  geniusWithoutPlayer: `window.GeniusLivePlayer = {};`,
  sauceflex: `
    function sauceflexPictureInPictureUse(on) {
      return new CustomEvent("sauceflexPictureInPictureUse", {detail: on});
    }
    const sauceflexPictureInPictureOn = new CustomEvent("sauceflexPictureInPictureOn");
    const sauceflexPictureInPictureOff = new CustomEvent("sauceflexPictureInPictureOff");`,
  SIR: `window.SIR = function (...values) { record("SIR", ...values); };`,
  resizeObserver: `window.ResizeObserver = HarnessResizeObserver;`,
};

/** What JSON can tell of a value, as it is now. */
function plain(value) {
  const text = JSON.stringify(value);
  return text === undefined ? null : JSON.parse(text);
}

// --- HTML, as far as tags and scripts need it (HTML Standard, section 13.2.5) ---

const RAW = new Set(["script", "style", "title", "textarea"]);
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function decoded(text) {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => ENTITIES[name]);
}

/** The attributes of a start tag that begins before `at`, and where the tag ends. */
function attributesOf(html, at) {
  const pattern = /[\s/]*(?:(>)|([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?)/y;
  const attributes = {};
  pattern.lastIndex = at;
  for (;;) {
    const found = pattern.exec(html);
    if (!found) { throw new Error("a tag does not end"); }
    if (found[1]) { return { attributes, end: pattern.lastIndex }; }
    const value = found[3] ?? found[4] ?? found[5] ?? "";
    attributes[found[2].toLowerCase()] ??= decoded(value);
  }
}

/**
 * Where the text of a script that begins at `start` ends.
 *
 * Within `<!--` a `<script` hides the next `</script`: the states "escaped" and "double escaped".
 */
function endOfScript(html, start) {
  const mark = /<!--|-->|<script(?=[\s/>])|<\/script(?=[\s/>])/giy;
  let escaped = false;
  let doubled = false;
  for (let at = start; at < html.length; at += 1) {
    mark.lastIndex = at;
    const found = mark.exec(html)?.[0].toLowerCase();
    if (found === "<!--") { escaped = true; }
    if (found === "-->") { escaped = false; doubled = false; }
    if (found === "<script" && escaped) { doubled = true; }
    if (found === "</script") {
      if (!doubled) { return at; }
      doubled = false;
    }
  }
  throw new Error("a script does not end");
}

/** The elements of a page in order, as {tag, attributes, text}; text for scripts and their like. */
function elementsOf(source) {
  // What a browser does before it reads anything.
  const html = source.replace(/\r\n?/g, "\n");
  const elements = [];
  let at = 0;
  while ((at = html.indexOf("<", at)) >= 0) {
    const rest = html.slice(at, at + 64);
    const tag = /^<([a-zA-Z][^\s/>]*)/.exec(rest);
    if (rest.startsWith("<!--")) {
      const end = html.indexOf("-->", at + 4);
      at = end < 0 ? html.length : end + 3;
    } else if (/^<[!?/]/.test(rest)) {
      const end = html.indexOf(">", at);
      at = end < 0 ? html.length : end + 1;
    } else if (!tag) {
      at += 1;
    } else {
      const name = tag[1].toLowerCase();
      const { attributes, end } = attributesOf(html, at + tag[0].length);
      const element = { tag: name, attributes, text: "" };
      elements.push(element);
      at = end;
      if (RAW.has(name)) {
        const close =
          name === "script" ? endOfScript(html, at) : html.toLowerCase().indexOf("</" + name, at);
        element.text = html.slice(at, close).replace(/\0/g, "\uFFFD");
        at = close;
      }
    }
  }
  return elements;
}

// --- A page ---

class Element {
  constructor(matches, classes, height) {
    this.matches = matches;
    this.classes = new Set(classes);
    this.height = height;
    this.classList = {
      add: (name) => { this.classes.add(name); },
      remove: (name) => { this.classes.delete(name); },
      contains: (name) => this.classes.has(name),
      toggle: (name, force) => {
        const on = force === undefined ? !this.classes.has(name) : Boolean(force);
        if (on) { this.classes.add(name); } else { this.classes.delete(name); }
        return on;
      },
    };
  }

  static from({ tag, attributes }) {
    const classes = (attributes.class ?? "").split(/\s+/).filter((name) => name !== "");
    const matches = [tag, ...classes.map((name) => "." + name)];
    for (const name of Object.keys(attributes)) { matches.push(`[${name}]`); }
    if (attributes.id) { matches.push("#" + attributes.id); }
    return new Element(matches, classes, 0);
  }

  isMatchedBy(selector) {
    return this.matches.includes(selector)
      || selector.split(",").some((part) => this.matches.includes(part.trim()));
  }

  getBoundingClientRect() { return { top: 0, left: 0, width: 0, height: this.height }; }
}

class Page {
  constructor({ elements = [], stubs = [], handlers = [] }) {
    this.calls = [];
    this.elements = elements.map((element) =>
      new Element(element.matches, element.classes ?? [], element.height ?? 0));
    this.observers = [];
    this.appended = [];
    this.window = vm.createContext(this.globals(handlers));
    this.window.window = this.window;
    for (const name of stubs) { this.run(STUBS[name]); }
  }

  record(name, ...values) { this.calls.push([name, ...values.map(plain)]); }

  globals(handlers) {
    const page = this;
    class CustomEvent {
      constructor(type, options = {}) {
        this.type = type;
        this.detail = options.detail ?? null;
      }
    }
    const listeners = [];
    const target = {
      addEventListener: (type, listener) => { listeners.push([type, listener]); },
      dispatchEvent: (event) => {
        // As a browser does; a name or a function is no event.
        if (!(event instanceof CustomEvent)) { throw new TypeError("not an event"); }
        page.record("dispatch", event.type, event.detail);
        for (const [type, listener] of [...listeners]) {
          if (type === event.type) { listener(event); }
        }
        return true;
      },
    };
    this.dispatch = (type, detail) => target.dispatchEvent(new CustomEvent(type, { detail }));
    const parent = (name) => Object.assign(page.element(name) ?? new Element([name], [], 0), {
      appendChild: (child) => {
        const { localName, ...properties } = child;
        page.record("append", localName, properties);
        page.appended.push(child);
        return child;
      },
    });
    const messageHandlers = {};
    for (const name of handlers) {
      messageHandlers[name] = { postMessage: (body) => { page.record("post", name, body); } };
    }
    return {
      record: this.record.bind(this),
      console, CustomEvent, Event: CustomEvent, ...target,
      HarnessResizeObserver: class {
        constructor(callback) { this.callback = callback; }
        observe(element) {
          const observer = { element, callback: this.callback };
          page.observers.push(observer);
          page.fresh = [...(page.fresh ?? []), observer];
        }
        disconnect() {}
      },
      webkit: handlers.length > 0 ? { messageHandlers } : undefined,
      document: {
        ...target,
        get body() { return parent("body"); },
        get head() { return parent("head"); },
        get documentElement() { return parent("html"); },
        createElement: (name) => ({
          localName: name,
          setAttribute(key, value) { this[key] = String(value); },
        }),
        getElementById: (id) => page.element("#" + id),
        querySelector: (selector) => page.element(String(selector)),
        querySelectorAll: (selector) =>
          page.elements.filter((element) => element.isMatchedBy(String(selector))),
      },
    };
  }

  element(selector) {
    return this.elements.find((element) => element.isMatchedBy(selector)) ?? null;
  }

  run(source) {
    const result = vm.runInContext(source, this.window, { timeout: PATIENCE });
    // A browser tells an observer at first what it observes.
    const fresh = this.fresh ?? [];
    this.fresh = [];
    for (const { callback } of fresh) { callback([]); }
    return result;
  }
}

const STEPS = {
  /** Evaluates a script, as the app does; gives its result. */
  run: (page, source) => page.run(source),

  /** Loads a page and runs its own scripts; gives all tags and the scripts' texts. */
  load(page, html) {
    const elements = elementsOf(html);
    const scripts = [];
    for (const element of elements) {
      page.elements.push(Element.from(element));
      if (element.tag === "script") {
        scripts.push(element.text);
        // A script sees only what stands before it.
        if (element.attributes.src === undefined) { page.run(element.text); }
      }
    }
    return { tags: elements.map(({ tag }) => tag), scripts };
  },

  /** Gives a global of the page. */
  read: (page, name) => page.window[name],

  /** Fires an event at the window. */
  fire: (page, [type, detail]) => page.dispatch(type, detail),

  /** Lets what was appended to the page have loaded. */
  loaded(page) {
    for (const element of page.appended.splice(0)) { element.onload?.(); }
  },

  /** Takes an address apart as a browser does. */
  url(_, text) {
    const url = new URL(text);
    const path = url.pathname.split("/").slice(1).map(decodeURIComponent);
    return { origin: url.origin, path, query: [...url.searchParams], fragment: url.hash };
  },

  /** Makes the elements of a selector this high, and tells whoever observes it. */
  resize(page, [selector, height]) {
    for (const element of page.elements) {
      if (element.isMatchedBy(selector)) { element.height = height; }
    }
    for (const { element, callback } of page.observers) {
      if (element.isMatchedBy(selector)) { callback([]); }
    }
  },
};

function answer(request) {
  const page = new Page(request);
  const results = request.steps.map(([name, argument]) => {
    try {
      return plain(STEPS[name](page, argument));
    } catch (error) {
      return { error: String(error) };
    }
  });
  const elements = page.elements.map(({ classes }) => [...classes]);
  return { results, elements, calls: page.calls };
}

// Lines end at LF only; what node calls a line would end at U+2028, too.
let received = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (received + chunk).split("\n");
  received = lines.pop();
  for (const line of lines) {
    let text;
    try {
      text = JSON.stringify(answer(JSON.parse(line)));
    } catch (error) {
      text = JSON.stringify({ error: String(error.stack) });
    }
    process.stdout.write(text + "\n");
  }
});
