/**
 * Verifies the import order (`.dependency-cruiser.cjs`), and that no folders import each other in a circle. Tests and
 * `*.module.ts` files are exempt from the second rule: a module file imports all parts of its module.
 */
import path from 'node:path';
import { cruise, format } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTSConfig from 'dependency-cruiser/config-utl/extract-ts-config';

const SOURCE_PATTERN = /^(?:(?:backend|frontend|cli)\/src|tools\/seeding)\//;
const EXEMPT_PATTERN = /\.(?:spec|test)\.tsx?$|\.module\.ts$/;

process.chdir(path.join(import.meta.dirname, '..'));
const { output: graph } = await cruise(
  ['backend/src', 'frontend/src', 'cli/src', 'tools/seeding'],
  await extractDepcruiseOptions('./.dependency-cruiser.cjs'),
  undefined,
  { tsConfig: extractTSConfig('backend/tsconfig.json') },
);
const { output: report, exitCode } = await format(graph, { outputType: 'err' });
console.log(report);

const circles = findCircles(listFolderImports(graph.modules));
for (const circle of circles) console.error(`error folders import each other:\n  ${circle.join('\n  ')}\n`);
process.exitCode = exitCode === 0 && circles.length === 0 ? 0 : 1;

/** Returns the imported folders by folder, each with one import as an example. */
function listFolderImports(modules) {
  const imports = new Map();
  const isChecked = (file) => SOURCE_PATTERN.test(file) && !EXEMPT_PATTERN.test(file);
  for (const { source, dependencies } of modules.filter((module) => isChecked(module.source)))
    for (const { resolved } of dependencies.filter((dependency) => isChecked(dependency.resolved))) {
      const [from, to] = [path.dirname(source), path.dirname(resolved)];
      if (from === to) continue;
      if (!imports.has(from)) imports.set(from, new Map());
      imports.get(from).set(to, `${source} → ${resolved}`);
    }
  return imports;
}

/** Returns a shortest circle through each folder that is in a circle, as a list of imports. Reports no folder twice. */
function findCircles(imports) {
  const reported = new Set();
  return [...imports.keys()].flatMap((folder) => {
    const circle = reported.has(folder) ? null : findPath(imports, folder);
    for (const { from } of circle ?? []) reported.add(from);
    return circle ? [circle.map(({ example }) => example)] : [];
  });
}

/** Returns the shortest path of imports from the folder back to itself; null = there is none. */
function findPath(imports, folder) {
  const paths = [[folder, []]];
  const seen = new Set();
  for (const [from, steps] of paths)
    for (const [to, example] of imports.get(from) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      const extended = [...steps, { from, example }];
      if (to === folder) return extended;
      paths.push([to, extended]);
    }
  return null;
}
