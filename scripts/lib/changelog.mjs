/** Changelog in the form of Keep a Changelog. */
const VERSION_PATTERN = /^(\d+)\.(\d+)\.(\d+)$/;
const HEADING = '## [Unreleased]';

/** @throws Error unless `version` is a version after `current` */
export function requireNextVersion(version, current) {
  if (!VERSION_PATTERN.test(version ?? '')) throw new Error('Usage: npm run release -- 0.2.0');
  const [next, last] = [version, current].map((text) => VERSION_PATTERN.exec(text).slice(1).map(Number));
  const position = next.findIndex((number, index) => number !== last[index]);
  if (position === -1 || next[position] < last[position])
    throw new Error(`${version} is not newer than ${current}, the version in package.json.`);
}

/**
 * Returns the changelog whose unreleased entries belong to `version`.
 *
 * @throws Error if there are none
 */
export function releaseChangelog(text, version, date) {
  const [head, rest] = text.split(`${HEADING}\n`);
  if (rest === undefined) throw new Error(`CHANGELOG.md has no heading "${HEADING}".`);
  const entries = rest.split(/^## \[/m)[0];
  if (!/^- /m.test(entries)) throw new Error(`CHANGELOG.md has no entries under "${HEADING}".`);
  return `${head}${HEADING}\n\n## [${version}] - ${date.toISOString().slice(0, 10)}\n${rest}`;
}
