import type { components } from './schema';

type Schemas = components['schemas'];

export type Me = Schemas['MeView'];
export type Role = Me['role'];
export type Token = Schemas['TokenView'];
export type CreatedToken = Schemas['CreatedTokenView'];
export type Session = Schemas['SessionView'];
export type Member = Schemas['MemberView'];
export type CreatedMember = Schemas['CreatedMemberView'];
export type CreateMemberRequest = Schemas['CreateMemberRequest'];
export type UpdateMemberRequest = Schemas['UpdateMemberRequest'];
export type Environment = Schemas['EnvironmentView'];
export type UpdateEnvironmentRequest = Schemas['UpdateEnvironmentRequest'];
export type EnvironmentAccess = Environment['access'];
export type RunMode = Environment['allowedModes'][number];
export type EnvironmentVariable = Schemas['EnvironmentVariableView'];
export type EnvironmentVariableType = EnvironmentVariable['type'];
export type PutVariableRequest = Schemas['PutVariableRequest'];
export type Grant = Schemas['GrantView'];
export type GrantLevel = Grant['level'];
export type ResolvedVariable = Schemas['ResolvedVariableView'];
export type AuditLog = Schemas['AuditLogView'];
export type AuditVerification = Schemas['AuditVerificationView'];
export type SshKey = Schemas['SshKeyView'];
export type CreatedSshKey = Schemas['CreatedSshKeyView'];
export type CreateSshKeyRequest = Schemas['CreateSshKeyRequest'];
export type HostKey = Schemas['HostKeyView'];
export type Server = Schemas['ServerView'];
export type ServerCheckState = Schemas['ServerCheckView']['state'];
export type CreateServerRequest = Schemas['CreateServerRequest'];
export type UpdateServerRequest = Schemas['UpdateServerRequest'];
export type Plan = Schemas['PlanView'];
export type PlanSummary = Schemas['PlanSummaryView'];
export type PlanVariable = Schemas['PlanVariableView'];
export type PlanStep = Schemas['PlanStepView'];
export type PlanRevision = Schemas['PlanRevisionView'];
export type CreatePlanRequest = Schemas['CreatePlanRequest'];
export type UpdatePlanRequest = Schemas['UpdatePlanRequest'];
export type VariableType = PlanVariable['type'];
export type VariableValue = string | number | boolean | (string | number | boolean)[];
export type TargetsPreview = Schemas['TargetsPreviewView'];
export type StartExecutionRequest = Schemas['StartExecutionRequest'];
export type Execution = Schemas['ExecutionView'];
export type ExecutionSummary = Schemas['ExecutionSummaryView'];
export type ExecutionStatus = Execution['status'];
export type ExecutionStep = Schemas['ExecutionStepView'];
export type StepStatus = ExecutionStep['status'];
export type ExecutionHost = Schemas['ExecutionHostView'];
export type HostStatus = ExecutionHost['status'];
export type HostResult = Schemas['HostResultView'];
export type OutputItem = Schemas['OutputLineView'];
export type OutputPage = Schemas['OutputView'];
export type OverlapConflict = Schemas['OverlapConflictView'];
export type ProblemBody = Schemas['ProblemView'];
export type ProblemItem = Schemas['ProblemItemView'];

/** A page of a list: items, and where the next page begins. */
export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}
