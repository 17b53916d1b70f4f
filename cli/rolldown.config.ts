import { defineConfig } from 'rolldown';

/** One file with all that it needs: it is copied, or run by npx, without an installation. */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  tsconfig: false,
  output: { file: 'dist/runward.mjs', format: 'esm', banner: '#!/usr/bin/env node', codeSplitting: false },
});
