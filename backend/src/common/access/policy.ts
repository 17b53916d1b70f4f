import { SetMetadata } from '@nestjs/common';
import type { Role } from './principal.js';

export const POLICY = 'runward:policy';

/** What a route demands of its caller. */
export type Policy = { public: true } | { public: false; role: Role };

/** The route answers anybody, without credentials. */
export const Public = () => SetMetadata(POLICY, { public: true } satisfies Policy);

/** The route needs a signed-in caller of at least this role. */
export const Requires = (role: Role) => SetMetadata(POLICY, { public: false, role } satisfies Policy);
