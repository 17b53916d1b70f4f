/** Stores the API of this version as the released one, which later versions are compared with. */
import { releaseApi } from './lib/api-drift.mjs';

releaseApi();
