import { mentionsIn, mentionsInCondition } from './expressions';
import { COMMAND_FILTERS, HOST_FACTS } from '../../../api/lists';
import type { Grammar, Names } from './names';
import { nearest } from './nearest';

const RESULTS = ['status', 'changed', 'exitCode'];

/** Returns the unknown names of a text, as far as the editor can detect them. The server decides. */
export function unknownNames(text: string, names: Names, grammar: Grammar): string[] {
  const { names: found, filters, locals } = grammar === 'condition' ? mentionsInCondition(text) : mentionsIn(text);
  const faults = [
    ...found.filter(({ path }) => !locals.has(path[0] ?? '')).flatMap(({ path }) => faultOf(path, names) ?? []),
    ...filters
      .filter((filter) => !COMMAND_FILTERS.includes(filter))
      .map((filter) => `Unknown filter “${filter}”.${hint(filter, COMMAND_FILTERS)}`),
  ];
  return [...new Set(faults)];
}

function faultOf(path: readonly string[], names: Names): string | null {
  const [root = '', ...fields] = path;
  const known = names.variables.map(({ name }) => name);
  if (known.includes(root)) return null;
  if (root === 'item') return names.item ? null : '“item” has a value only in steps that run for each item of a list.';
  if (root === 'host') return hostFault(fields);
  if (root === 'steps') return stepFault(fields, names);
  return `The plan has no variable “${root}”.${hint(root, known)}`;
}

function hostFault([field, name, ...more]: string[]): string | null {
  const fine =
    (field === 'name' && name === undefined) ||
    (field === 'tags' && name !== undefined) ||
    (field === 'facts' && name !== undefined && HOST_FACTS.includes(name));
  if (fine && more.length === 0) return null;
  const advice = field === 'facts' && name ? hint(name, HOST_FACTS) : '';
  return `Unknown host field “${['host', field, name, ...more].filter(Boolean).join('.')}”.${advice}`;
}

function stepFault([key, field, output]: string[], { earlier, later }: Names): string | null {
  if (key === undefined) return null;
  const step = earlier.find((each) => each.key === key);
  if (!step) {
    if (later.includes(key)) return `The step “${key}” does not run before this one.`;
    return `No earlier step has the key “${key}”.${hint(
      key,
      earlier.map((each) => each.key),
    )}`;
  }
  if (field === undefined || RESULTS.includes(field)) return null;
  if (field !== 'outputs') return `Unknown step field “${field}”.${hint(field, [...RESULTS, 'outputs'])}`;
  if (output === undefined || step.outputs.includes(output)) return null;
  return `The step “${key}” has no output “${output}”.${hint(output, step.outputs)}`;
}

function hint(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === null ? '' : ` Did you mean “${near}”?`;
}
