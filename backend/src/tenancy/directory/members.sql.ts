/** SQL relation of the members for rooms that need them in a statement of theirs; to be joined by `tenant_id` and `id`. */
export const MEMBERS = '(select tenant_id, id, name, email, kind from users)';

/** The same of those who are not disabled, and their roles and kinds. */
export const ACTIVE_MEMBERS = '(select tenant_id, id, role, kind from users where disabled_at is null)';
