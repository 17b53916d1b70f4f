/** `npm run seed`. Runs on the product's Node.js, after the build. */
import '../lib/typescript.mjs';

await import('./seed.ts');
