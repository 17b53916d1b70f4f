/**
 * Draws the icons of the installed dashboard from `frontend/public/favicon.svg`. Run it after a change of that file.
 * Usage: CHROMIUM=… node scripts/icons.mjs
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const FOLDER = join(import.meta.dirname, '../frontend/public');
/** A maskable icon fills its square. Systems cut it to a circle with 80 % of its width. */
const ICONS = [
  { file: 'icon-192.png', size: 192, background: 'transparent', share: 1 },
  { file: 'icon-512.png', size: 512, background: 'transparent', share: 1 },
  { file: 'icon-maskable-512.png', size: 512, background: '#ffffff', share: 0.6 },
];

const svg = await readFile(join(FOLDER, 'favicon.svg'), 'utf8');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || undefined });
for (const { file, size, background, share } of ICONS) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  await page.setContent(
    `<style>body { margin: 0; height: 100vh; display: grid; place-items: center; background: ${background} }
      svg { width: ${size * share}px }</style>${svg}`,
  );
  await page.screenshot({ path: join(FOLDER, file), omitBackground: true });
}
await browser.close();
