/** Builds back end, dashboard and command line when their sources changed. */
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { filesIn, filesUnder, fingerprint, readStamp, removeStamp, writeStamp } from './fingerprint.mjs';
import { cacheDir, inRoot, npmCommand, SERVER_PROGRAM } from './paths.mjs';
import { runLogged } from './run.mjs';
import { withProgress } from './terminal.mjs';

const stampFile = path.join(cacheDir, 'build-stamp');
const logFile = path.join(cacheDir, 'build.log');
const OUTPUTS = [SERVER_PROGRAM, 'frontend/dist/index.html', 'cli/dist/runward.mjs', 'client/dist/runward-client.tgz'];
const GENERATED = ['openapi.json', 'frontend/src/api/schema.ts', 'frontend/src/api/lists.ts'];

function currentState() {
  const isSource = (file) => !/\.(?:spec|test)\.tsx?$/.test(file);
  const sources = ['backend/src', 'frontend/src', 'frontend/public', 'cli/src', 'client/src'].flatMap((folder) =>
    filesUnder(folder, isSource),
  );
  const aside = [...filesIn('backend'), ...filesIn('frontend'), ...filesIn('cli'), ...filesIn('client')];
  return fingerprint([...sources, ...aside, 'nest-cli.json', 'package.json', 'package-lock.json']);
}

export function isBuilt() {
  return OUTPUTS.every((file) => existsSync(inRoot(file))) && readStamp(stampFile) === currentState();
}

export async function build() {
  removeStamp(stampFile);
  rmSync(logFile, { force: true });
  const script = (name) => runLogged([...npmCommand(), 'run', name], logFile);
  await withProgress('Building', async () => {
    // The generated API client is committed. Generating it again could change files under version control.
    if (GENERATED.every((file) => existsSync(inRoot(file)))) {
      await Promise.all([
        script('build:backend'),
        script('build:frontend'),
        script('build:cli'),
        script('build:client'),
      ]);
    } else {
      await script('build');
    }
  });
  writeStamp(stampFile, currentState());
}

export function explainBuildFailure(error) {
  return [error.tail, '', `The build failed: ${error.message}.`, `Full log: ${logFile}`].join('\n');
}
