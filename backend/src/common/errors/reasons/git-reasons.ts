/** Why a git source or the plans in it could not be read. */
export const GIT_REASONS = {
  branch_missing: 'The branch does not exist in the repository.',
  certificate_refused: 'The TLS certificate of the remote is not trusted.',
  commit_missing: 'The commit is not in the repository.',
  git_missing: 'The installation has no git.',
  plans_not_read: 'The plans of the commit could not be read.',
  repository_not_found: 'The repository does not exist, or the credential does not reach it.',
  stopped: 'The sync was stopped.',
  too_many_files: 'The commit has too many files.',
  too_many_refs: 'The repository has too many branches and tags.',
} as const satisfies Record<string, string>;
