/**
 * What a thread does to parse and render a template: whatever the template does, only this thread is busy with it.
 * It is loaded by Node.js itself, so that it imports only packages and files that do the same.
 */
import type { Liquid, Template } from 'liquidjs';
import { Secret } from './filters/secret-value.ts';
import { engineOf, parseTemplate, UnknownValue } from './template-engine.ts';
import type {
  TemplateFault,
  ThreadAnswer,
  ThreadFile,
  ThreadRequest,
  ThreadScope,
  UnknownName,
} from './template-request.ts';
import { parseFault, renderFault } from './thread-faults.ts';

/** Names that are told to be without a value. */
const MAX_UNKNOWN = 50;

interface Parsed {
  readonly content: string;
  readonly templates: Template[];
  readonly names: string[];
}

let engine: Liquid | null = null;
/** The template that was rendered last: a run asks for the same one again. */
let last: Parsed | null = null;

export default function answer({ content, scopes, markUnknown, limits }: ThreadRequest): ThreadAnswer {
  engine ??= engineOf(limits);
  let parsed: Parsed;
  try {
    parsed = parse(engine, content);
  } catch (error) {
    return { ok: false, fault: parseFault(content, error) };
  }
  const { names, templates } = parsed;
  const files: ThreadFile[] = [];
  const end = performance.now() + limits.jobMs;
  let room = limits.jobLength;
  for (const scope of scopes) {
    if (files.length > 0 && (performance.now() > end || room <= 0)) break;
    const values = valuesOf(scope);
    if (markUnknown) for (const name of names) if (!(name in values)) values[name] = new UnknownValue(name);
    const file = render(engine, templates, values, limits.memory);
    if ('text' in file) room -= file.text.length;
    files.push(file);
  }
  const [scope] = scopes;
  const unknown = markUnknown && scope ? unknownIn(engine, templates, valuesOf(scope)) : [];
  return { ok: true, names, unknown, files };
}

function parse(liquid: Liquid, content: string): Parsed {
  if (last?.content === content) return last;
  last = null;
  const templates = parseTemplate(liquid, content);
  last = { content, templates, names: liquid.globalVariablesSync(templates) };
  return last;
}

function valuesOf({ values, facts, secrets, masked }: ThreadScope): Record<string, unknown> {
  const all: Record<string, unknown> = Object.assign(Object.create(null) as object, facts, values);
  for (const [name, text] of Object.entries(secrets)) all[name] = new Secret(name, text, masked);
  return all;
}

function render(liquid: Liquid, templates: Template[], values: object, memory: number): ThreadFile {
  try {
    const text = String(liquid.renderSync(templates, values));
    return text.length > memory ? { fault: TOO_LARGE } : { text };
  } catch (error) {
    return { fault: renderFault(error) };
  }
}

const TOO_LARGE: TemplateFault = { code: 'too_much', message: 'The rendered file is too large.', place: null };

function unknownIn(liquid: Liquid, templates: Template[], values: object): UnknownName[] {
  const found: UnknownName[] = [];
  for (const [name, [first]] of Object.entries(liquid.analyzeSync(templates).globals)) {
    if (name in values || !first || found.length >= MAX_UNKNOWN) continue;
    found.push({ name, line: first.location.row, column: first.location.col });
  }
  return found;
}
