import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadMasterKey } from './master-key-file.js';

describe('master key', () => {
  const KEY = Buffer.alloc(32, 7).toString('base64');
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'runward-key-'));
  });
  afterEach(() => rm(dataDir, { recursive: true }));

  it('is generated once, readable only by its owner, and announced', async () => {
    const first = await loadMasterKey({ masterKey: {}, dataDir });
    expect(first.warning).toContain(join(dataDir, 'master.key'));
    expect((await stat(join(dataDir, 'master.key'))).mode & 0o777).toBe(0o600);
    const text = await readFile(join(dataDir, 'master.key'), 'utf8');

    const second = await loadMasterKey({ masterKey: {}, dataDir });
    expect(second).toEqual({ masterKey: first.masterKey, warning: undefined });
    expect(await readFile(join(dataDir, 'master.key'), 'utf8')).toBe(text);
  });

  it('is the same for processes that start at the same moment', async () => {
    const loadedKey = await Promise.all([1, 2, 3].map(() => loadMasterKey({ masterKey: {}, dataDir })));
    const again = await loadMasterKey({ masterKey: {}, dataDir });
    for (const one of loadedKey) expect(one.masterKey).toEqual(again.masterKey);
  });

  it('leaves no draft of a killed process, and deletes no other file', async () => {
    await loadMasterKey({ masterKey: {}, dataDir });
    const drafts = ['master.key', 'master.key.next'].map((name) => `${name}.${randomUUID()}`);
    for (const name of [...drafts, 'master.key.old', 'master.key.next', 'master.key.mine'])
      await writeFile(join(dataDir, name), KEY);
    await loadMasterKey({ masterKey: {}, dataDir });
    const left = (await readdir(dataDir)).sort();
    expect(left).toEqual(['master.key', 'master.key.mine', 'master.key.next', 'master.key.old']);
  });

  it('can come from a named file, with or without a line end', async () => {
    const file = join(dataDir, 'secret');
    await writeFile(file, `${KEY}\n`);
    const fromFile = await loadMasterKey({ masterKey: { file }, dataDir });
    const keyFromVariable = await loadMasterKey({ masterKey: { base64: KEY }, dataDir });
    expect(fromFile).toEqual(keyFromVariable);
  });

  it('is never replaced when the stored one is damaged', async () => {
    await writeFile(join(dataDir, 'master.key'), 'half a key', { mode: 0o600 });
    await expect(loadMasterKey({ masterKey: {}, dataDir })).rejects.toThrow('does not contain a master key');
  });

  it('rejects a named file that does not exist', async () => {
    await expect(loadMasterKey({ masterKey: { file: join(dataDir, 'none') }, dataDir })).rejects.toThrow(
      "doesn't exist",
    );
  });

  it('warns when other users can read the stored key', async () => {
    await writeFile(join(dataDir, 'master.key'), KEY);
    expect((await loadMasterKey({ masterKey: {}, dataDir })).warning).toContain('chmod 600');
  });
});
