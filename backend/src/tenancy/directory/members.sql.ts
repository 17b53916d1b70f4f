import { sql } from '../../common/database/sql.js';

/** SQL relation of members for statements of other modules; join by `tenant_id` and `id`. */
export const MEMBERS = sql`(select tenant_id, id, name, email, kind from users)`;

export const ACTIVE_MEMBERS = sql`(select tenant_id, id, role, kind from users where disabled_at is null)`;
