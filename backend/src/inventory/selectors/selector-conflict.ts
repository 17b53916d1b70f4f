import { matchesGlob } from './glob.js';
import { NAME_KEY, type SelectorRequirement, type Selector } from './selector.js';

/**
 * Whether a server could match both selectors. False is certain; true may be wrong for names with several wildcards.
 */
export function canMatchBoth(a: Selector, b: Selector): boolean {
  const all = [...a.requirements, ...b.requirements];
  return [...new Set(all.map(({ key }) => key))].every((key) => {
    const requirements = all.filter((each) => each.key === key);
    return key === NAME_KEY ? canMatchAnyName(requirements) : canMatchTags(requirements);
  });
}

const getValuesOf = (requirements: readonly SelectorRequirement[], operator: SelectorRequirement['operator']) =>
  requirements.filter((each) => each.operator === operator).map(({ values }) => values);

function canMatchTags(requirements: readonly SelectorRequirement[]): boolean {
  const required = getValuesOf(requirements, 'in');
  const present = required.length > 0 || requirements.some(({ operator }) => operator === 'exists');
  if (requirements.some(({ operator }) => operator === 'absent')) return !present;
  const [first, ...others] = required;
  if (!first) return true;
  const refused = getValuesOf(requirements, 'notin').flat();
  return first.some((value) => others.every((values) => values.includes(value)) && !refused.includes(value));
}

function canMatchAnyName(requirements: readonly SelectorRequirement[]): boolean {
  const refused = getValuesOf(requirements, 'notin').flat();
  if (refused.includes('*')) return false;
  const required = getValuesOf(requirements, 'in').map((globs) =>
    globs.filter((glob) => !refused.some((refusal) => coversGlob(refusal, glob))),
  );
  return required.every(
    (globs, at) =>
      globs.length > 0 &&
      required
        .slice(at + 1)
        .every((others) => globs.some((glob) => others.some((other) => canMatchSameText(glob, other)))),
  );
}

/** True: the first glob matches every name that the second one matches. False may be wrong. */
const coversGlob = (glob: string, other: string) =>
  matchesGlob(glob, other) && !(glob.includes('?') && other.includes('*'));

function canMatchSameText(a: string, b: string): boolean {
  if (!/[*?]/.test(a)) return matchesGlob(b, a);
  if (!/[*?]/.test(b)) return matchesGlob(a, b);
  const [startA, startB] = [a, b].map((glob) => glob.replace(/[*?].*$/s, '')) as [string, string];
  const [endA, endB] = [a, b].map((glob) => glob.replace(/^.*[*?]/s, '')) as [string, string];
  const starts = startA.startsWith(startB) || startB.startsWith(startA);
  return starts && (endA.endsWith(endB) || endB.endsWith(endA));
}
