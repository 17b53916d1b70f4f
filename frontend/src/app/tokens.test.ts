import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCES = join(import.meta.dirname, '..');
/** Style sheets with their own colours: paper is always white, and the API reference is a separate document. */
const EXCEPT = ['features/executions/report/report.module.css', 'docs/docs.css'];

describe('style sheets', () => {
  it('use the colours of the theme only', () => {
    const files = globSync('**/*.css', { cwd: SOURCES }).filter((file) => !EXCEPT.includes(file));
    expect(files.length).toBeGreaterThan(20);
    const faults = files.flatMap((file) =>
      readFileSync(join(SOURCES, file), 'utf8')
        .split('\n')
        .flatMap((line, index) =>
          /#[\da-f]{3,8}\b|\b(rgb|hsl|oklch)a?\(/i.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [],
        ),
    );
    expect(faults).toEqual([]);
  });
});
