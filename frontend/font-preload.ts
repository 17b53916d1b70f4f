import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';

const LICENCE = createRequire(import.meta.url).resolve('@fontsource-variable/geist/LICENSE');

/** Loads the font of most texts together with the scripts. Adds its licence, which requires that, to the build. */
export function preloadFont(): Plugin {
  return {
    name: 'runward:preload-font',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', name: 'geist-licence.txt', source: readFileSync(LICENCE, 'utf8') });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle = {}, filename }) {
        if (!filename.endsWith('index.html')) return;
        return Object.keys(bundle)
          .filter((name) => /geist-latin-wght-normal-.*\.woff2$/.test(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: true, href: `/${name}` },
            injectTo: 'head' as const,
          }));
      },
    },
  };
}
