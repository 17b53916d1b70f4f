/** How the output is searched; undefined: text in any case. */
export type Match = 'case' | 'regex' | 'case-regex' | undefined;

export const isCaseMatched = (match: Match): boolean => match === 'case' || match === 'case-regex';
export const isRegex = (match: Match): boolean => match === 'regex' || match === 'case-regex';

export function toMatch(matchCase: boolean, regex: boolean): Match {
  if (regex) return matchCase ? 'case-regex' : 'regex';
  return matchCase ? 'case' : undefined;
}
