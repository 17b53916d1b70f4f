/**
 * Runs in a worker thread to parse and render templates, so that a template can block only this thread. Node.js loads
 * this file directly, so it imports only packages and files that Node.js can load too.
 */
import type { Liquid, Template } from 'liquidjs';
import { Secret } from './filters/secret-value.ts';
import { createTemplateEngine, parseTemplate, UnknownValue } from './template-engine.ts';
import type {
  TemplateFault,
  ThreadAnswer,
  ThreadFile,
  ThreadRequest,
  ThreadScope,
  UnknownName,
} from './template-request.ts';
import { parseFault, renderFault } from './thread-faults.ts';

const MAX_UNKNOWN = 50;

interface Parsed {
  readonly content: string;
  readonly templates: Template[];
  readonly names: string[];
}

let engine: Liquid | null = null;
/** Caches one template, because a run requests the same one repeatedly. */
let lastParsed: Parsed | null = null;

export default function answerRequest({ content, scopes, marksUnknownNames, limits }: ThreadRequest): ThreadAnswer {
  engine ??= createTemplateEngine(limits);
  let parsed: Parsed;
  try {
    parsed = parse(engine, content);
  } catch (error) {
    return { ok: false, fault: parseFault(content, error) };
  }
  const { names, templates } = parsed;
  const files: ThreadFile[] = [];
  const end = performance.now() + limits.jobMs;
  let remaining = limits.jobLength;
  for (const scope of scopes) {
    if (files.length > 0 && (performance.now() > end || remaining <= 0)) break;
    const values = valuesOf(scope);
    if (marksUnknownNames) for (const name of names) if (!(name in values)) values[name] = new UnknownValue(name);
    const file = render(engine, templates, values, limits.memory);
    if ('text' in file) remaining -= file.text.length;
    files.push(file);
  }
  const [scope] = scopes;
  const unknown = marksUnknownNames && scope ? findUnknownNames(engine, templates, valuesOf(scope)) : [];
  return { ok: true, names, unknown, files };
}

function parse(liquid: Liquid, content: string): Parsed {
  if (lastParsed?.content === content) return lastParsed;
  lastParsed = null;
  const templates = parseTemplate(liquid, content);
  lastParsed = { content, templates, names: liquid.globalVariablesSync(templates) };
  return lastParsed;
}

function valuesOf({ values, facts, secrets, masked }: ThreadScope): Record<string, unknown> {
  const all: Record<string, unknown> = Object.assign(Object.create(null) as object, facts, values);
  for (const [name, text] of Object.entries(secrets)) all[name] = new Secret(name, text, masked);
  return all;
}

function render(liquid: Liquid, templates: Template[], values: object, memory: number): ThreadFile {
  try {
    const text = String(liquid.renderSync(templates, values));
    return text.length > memory ? { fault: TOO_LARGE_FAULT } : { text };
  } catch (error) {
    return { fault: renderFault(error) };
  }
}

const TOO_LARGE_FAULT: TemplateFault = { code: 'too_much', message: 'The rendered file is too large.', position: null };

function findUnknownNames(liquid: Liquid, templates: Template[], values: object): UnknownName[] {
  const found: UnknownName[] = [];
  for (const [name, [first]] of Object.entries(liquid.analyzeSync(templates).globals)) {
    if (name in values || !first || found.length >= MAX_UNKNOWN) continue;
    found.push({ name, line: first.location.row, column: first.location.col });
  }
  return found;
}
