/** A person signs in. A service account is a program and has only tokens. */
export const MEMBER_KINDS = ['person', 'service_account'] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];
