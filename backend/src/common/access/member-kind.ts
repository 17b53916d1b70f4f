/** A person signs in; a service account is a program, which has tokens only. */
export const MEMBER_KINDS = ['person', 'service_account'] as const;
export type MemberKind = (typeof MEMBER_KINDS)[number];
