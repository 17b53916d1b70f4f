/** Builds the package and packs it into one file, which needs no other package to be installed. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const folder = import.meta.dirname;
const root = path.dirname(folder);
const at = (...parts) => path.join(folder, ...parts);
const BUNDLED = ['openapi-fetch', 'openapi-typescript-helpers'];

rmSync(at('dist'), { recursive: true, force: true });
cpSync(path.join(root, 'frontend/src/api/schema.ts'), at('src/schema.ts'));
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
execFileSync(process.execPath, [compiler, '-p', at('tsconfig.build.json')], { stdio: 'inherit' });

const stage = at('dist/package');
mkdirSync(stage, { recursive: true });
const { scripts: _scripts, devDependencies: _dev, ...manifest } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
writeFileSync(
  path.join(stage, 'package.json'),
  `${JSON.stringify({ ...manifest, version, bundleDependencies: ['openapi-fetch'] }, null, 2)}\n`,
);
cpSync(at('README.md'), path.join(stage, 'README.md'));
cpSync(path.join(root, 'LICENSE'), path.join(stage, 'LICENSE'));
cpSync(at('dist/lib'), path.join(stage, 'dist'), { recursive: true });
for (const name of BUNDLED)
  cpSync(path.join(root, 'node_modules', name), path.join(stage, 'node_modules', name), { recursive: true });
const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', at('dist')], {
  cwd: stage,
  encoding: 'utf8',
});
renameSync(at('dist', packed.trim()), at('dist/runward-client.tgz'));
rmSync(stage, { recursive: true });
