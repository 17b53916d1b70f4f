import { describe, expect, it } from '@jest/globals';
import { globSync } from 'node:fs';
import path from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import { ENTITIES } from './entities.js';

describe('entities of every process', () => {
  it('are those of all entity files', async () => {
    const files = globSync('**/*.entity.ts', { cwd: import.meta.dirname });
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) await import(path.join(import.meta.dirname, file));
    const tables = getMetadataArgsStorage().tables.map(({ target }) => target);
    expect(new Set(ENTITIES)).toEqual(new Set(tables));
  });
});
