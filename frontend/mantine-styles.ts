import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const FOLDER = join(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), '../styles');
const CLASSES = /[\\/]@mantine[\\/]core[\\/].*[\\/](\w+)\.module\.mjs$/;

/**
 * Adds to each used component of Mantine its styles. They are in the cascade layer `mantine`, so rules of the dashboard
 * override them in any order of the files.
 */
export function mantineStyles(): Plugin {
  return {
    name: 'runward:mantine-styles',
    apply: 'build',
    transform: {
      filter: { id: CLASSES },
      handler(code, id) {
        const file = join(FOLDER, `${CLASSES.exec(id)?.[1]}.layer.css`);
        if (!existsSync(file)) this.error(`Mantine has no file ${file}.`);
        return { code: `import ${JSON.stringify(file)};\n${code}`, map: null, moduleSideEffects: true };
      },
    },
  };
}
