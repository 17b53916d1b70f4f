import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';
import { preloadFont } from './font-preload.ts';
import { mantineStyles } from './mantine-styles.ts';
import { precompress } from './precompress.ts';

/** Code of the dashboard. The page of the API reference is a separate document. */
const DASHBOARD = /[\\/]src[\\/](?!docs)|[\\/]node_modules[\\/](@mantine|@tabler|@floating-ui)[\\/]/;

/** Code that many pages use, without features and without inputs of few forms. */
const PAGES =
  /[\\/]src[\\/](?!docs|features|ui[\\/]diff)|[\\/]@mantine[\\/](?!.*(NumberInput|MultiSelect|TagsInput|Pill|Radio|Textarea|Accordion|Chip))/;

export default defineConfig(({ mode }) => {
  const { RUNWARD_API_URL = 'http://127.0.0.1:8080' } = loadEnv(mode, '.', 'RUNWARD_');
  return {
    plugins: [react(), mantineStyles(), preloadFont(), precompress()],
    server: { host: '127.0.0.1', proxy: { '/api': RUNWARD_API_URL } },
    build: {
      outDir: 'dist',
      target: 'es2023',
      // The content security policy allows no `data:` scripts or fonts, so small files are not inlined.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: ['index.html', 'docs.html'],
        output: {
          codeSplitting: {
            // A file costs headers, and a round trip if the browser already loads six. `common` is part of each first load.
            groups: [
              { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 4 },
              { name: 'tanstack', test: /node_modules[\\/]@tanstack[\\/](?!react-virtual|virtual-core)/, priority: 3 },
              { name: 'common', test: DASHBOARD, tags: ['$initial'], priority: 2 },
              { name: 'icons', test: /[\\/]@tabler[\\/]/, minShareCount: 2, priority: 1 },
              { name: 'pages', test: PAGES, minShareCount: 8 },
            ],
          },
        },
      },
    },
  };
});
