/** Reports dead links and file paths in the docs: `node scripts/doc-links.mjs`. Does not fetch web addresses. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { inRoot, root } from './lib/paths.mjs';

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(inRoot(file)));

/** Folders to which a path in the docs may be relative. */
const BASES = ['', 'backend/src', 'backend', 'backend/test', 'frontend/src', 'e2e', 'cli/src'];
/**
 * Matches a quoted path with a folder and a file extension of the repository. Does not match patterns and placeholders.
 */
const PATH = /`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|tsx|mjs|cjs|md|json|yml|sql))`/g;

const withoutCode = (text) => text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, ' '));

/** Returns the anchors of the headings, in GitHub's format. */
function anchorsOf(file) {
  const seen = new Map();
  return withoutCode(readFileSync(inRoot(file), 'utf8'))
    .split('\n')
    .flatMap((line) => /^#{1,6}\s+(.*?)\s*#*$/.exec(line)?.[1] ?? [])
    .map((heading) => {
      const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const anchor = text.replace(/[^\p{L}\p{N}\s_-]/gu, '').replace(/\s/g, '-');
      const count = seen.get(anchor) ?? 0;
      seen.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    });
}

function faultOfLink(file, link) {
  const [target, anchor] = link.split('#');
  const found = target === '' ? file : path.normalize(path.join(path.dirname(file), decodeURI(target)));
  if (!existsSync(inRoot(found))) return `no file ${found}`;
  if (anchor && found.endsWith('.md') && !anchorsOf(found).includes(anchor)) return `no heading #${anchor} in ${found}`;
  return undefined;
}

let count = 0;
function report(file, text, offset, fault) {
  console.log(`${file}:${text.slice(0, offset).split('\n').length}: ${fault}`);
  count += 1;
}

for (const file of files) {
  const text = withoutCode(readFileSync(inRoot(file), 'utf8'));
  for (const { 1: link, index } of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue;
    const fault = faultOfLink(file, link);
    if (fault !== undefined) report(file, text, index, fault);
  }
  // The changelog and decision records may name files that have since moved.
  if (/^CHANGELOG\.md$|^docs\/adr\/0/.test(file)) continue;
  for (const { 1: name, index } of text.matchAll(PATH)) {
    const bases = [...BASES, path.dirname(file), path.join(path.dirname(file), 'src')];
    if (!bases.some((base) => existsSync(inRoot(base, name)))) report(file, text, index, `no file ${name}`);
  }
}
if (count > 0) {
  console.log(`${count} dead links or paths in ${files.length} files.`);
  process.exitCode = 1;
}
