import type { Grammar, Names } from './names';

interface Found {
  variables: { name: string; type: string }[];
  steps: { key: string; outputs: string[]; repeats: boolean; line: number }[];
}

/**
 * Returns the names that a line of a plan's text can use. Reads line by line, because unfinished YAML often cannot be
 * parsed.
 */
export function namesInYaml(lines: readonly string[], at: number): Names {
  const { variables, steps } = read(lines);
  const index = steps.findLastIndex(({ line }) => line <= at);
  return {
    variables: variables.map(({ name, type }) => ({ name, detail: type, secret: type === 'secret' })),
    earlier: steps.slice(0, Math.max(0, index)),
    later: steps.slice(Math.max(0, index)).map(({ key }) => key),
    item: steps[index]?.repeats ?? false,
  };
}

/** Returns where names occur in the line, and where that part starts. */
export function grammarOfLine(line: string): { grammar: Grammar; start: number } {
  const [condition] = /^\s*(?:- +)?when:\s+["']?/.exec(line) ?? [];
  return condition === undefined ? { grammar: 'text', start: 0 } : { grammar: 'condition', start: condition.length };
}

const PAIR = /^(\s*)(- +)?["']?([\w-]+)["']?\s*:\s*(.*)$/;

function read(lines: readonly string[]): Found {
  const found: Found = { variables: [], steps: [] };
  let section = '';
  /** Column of the dashes of the section's list. */
  let blockIndent: number | null = null;
  /** The current list or map of outputs, and its column. */
  let within: { names: string[]; column: number } | null = null;
  lines.forEach((text, line) => {
    if (text.trim() === '' || text.trimStart().startsWith('#')) return;
    const indent = text.length - text.trimStart().length;
    const [, , dash, field, value = ''] = PAIR.exec(text) ?? [];
    if (indent === 0 && !text.startsWith('-') && field) {
      [section, blockIndent, within] = [field, null, null];
      return;
    }
    if (section !== 'variables' && section !== 'steps') return;
    if (text.trimStart().startsWith('-')) blockIndent ??= indent;
    const begins = text.trimStart().startsWith('-') && indent === blockIndent;
    if (begins) {
      within = null;
      if (section === 'variables') found.variables.push({ name: '', type: 'string' });
      else found.steps.push({ key: '', outputs: [], repeats: false, line });
    }
    const column = indent + (dash?.length ?? 0);
    if (
      within &&
      (indent > within.column || (indent === within.column && !begins && text.trimStart().startsWith('-')))
    ) {
      const name = /^\s*(?:- +)?["']?([\w-]+)/.exec(text)?.[1];
      if (name) within.names.push(name);
      return;
    }
    within = null;
    const variable = section === 'variables' ? found.variables.at(-1) : undefined;
    const step = section === 'steps' ? found.steps.at(-1) : undefined;
    if (!field || column !== (blockIndent ?? 0) + 2) return;
    if (variable && (field === 'name' || field === 'type')) variable[field] = bare(value);
    if (step && field === 'key') step.key = bare(value);
    if (step && field === 'forEach') step.repeats = true;
    if (step && (field === 'outputs' || field === 'outputsFrom')) {
      step.outputs.push(...[...value.replace(/:[^,}]*/g, '').matchAll(/[\w-]+/g)].map(([name]) => name));
      within = { names: step.outputs, column };
    }
  });
  return { ...found, variables: found.variables.filter(({ name }) => name !== '') };
}

const bare = (value: string): string =>
  value
    .replace(/\s+#.*$/, '')
    .replace(/^["']|["']$/g, '')
    .trim();
