import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { renderTemplateCommand } from '../../src/executions/steps/shell/template-command.js';
import { composeScript } from '../../src/plans/shell/environment-script.js';
import { fewestForks } from '../support/fewest-forks.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'runward-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const MARK = 'mark_0123456789abcdef';
const file = path.join(folder, 'file');
const CONTENT = 'what it should hold\n';
/** The shell that reads the script, and a subshell. */
const SHELLS = 2;

const FIELDS = { path: file, owner: null, group: null, mode: null, backup: false };

/** @param before previous content of the file; null = the file does not exist */
function writeOver(before: string | null): string {
  if (before === null) rmSync(file, { force: true });
  else writeFileSync(file, before);
  const command = renderTemplateCommand(FIELDS, CONTENT, null);
  const script = composeScript({ command, exports: [], reportsChange: true, mark: MARK });
  const { status, stdout } = spawnSync('/bin/sh', [], { input: script });
  expect(status).toBe(0);
  return stdout.toString();
}

describe('processes that a host forks for a file step', () => {
  it('are 4 programs if the size of the file differs', async () => {
    // One fork each for stat, chmod, head and mv
    expect(await fewestForks(SHELLS + 4, () => writeOver('before\n'))).toBe(SHELLS + 4);
  });

  it('are 5 programs if the size is equal and the content differs', async () => {
    const before = 'what it once did hold'.slice(0, CONTENT.length - 1).concat('\n');
    expect(before).toHaveLength(CONTENT.length);
    // One more fork for cat
    expect(await fewestForks(SHELLS + 5, () => writeOver(before))).toBe(SHELLS + 5);
  });

  it('are stat and cat if the file is up to date', async () => {
    expect(writeOver(CONTENT)).toContain('unchanged');
    expect(await fewestForks(SHELLS + 2, () => writeOver(CONTENT))).toBe(SHELLS + 2);
  });

  it('are one program if the file is new', async () => {
    // One fork for mv
    expect(await fewestForks(SHELLS + 1, () => writeOver(null))).toBe(SHELLS + 1);
  });

  it('are the same for changed files whose previous content is reported', () => {
    const said = writeOver('before\n');
    expect(said).toContain(`${MARK} before 7\nbefore\n`);
    expect(said).toContain(`${MARK} changed`);
  });
});
