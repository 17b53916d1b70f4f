import type { ProblemKind } from './problem-kind.js';

export const GIT_PROBLEMS = {
  git_content_missing: {
    status: 409,
    title: 'Content not in the repository',
    meaning:
      'The repository contains only a pointer to the file (Git LFS, git-annex, git-fat), or a copy that git-crypt encrypted.',
    advice: 'Commit the file itself, or make the hosts download it.',
  },
  git_file_too_large: {
    status: 409,
    title: 'File too large',
    meaning: 'The file in the git source is larger than the limit for one file.',
    advice: 'Store large files elsewhere, and make the hosts download them.',
  },
  git_not_a_file: {
    status: 409,
    title: 'Not a file',
    meaning: 'This path of the repository is a folder, a symbolic link or a submodule. Links are never followed.',
    advice: 'Send the path of a regular file.',
  },
  git_not_a_folder: {
    status: 409,
    title: 'Not a folder',
    meaning: 'This path of the repository is not a folder. Links and submodules are never followed.',
    advice: 'Send the path of a folder.',
  },
  git_not_synced: {
    status: 409,
    title: 'Not synced',
    meaning: 'The git source has never been synced, so its content is unknown.',
    advice: 'Sync the source. If the sync fails, read its `error`.',
  },
  git_not_text: {
    status: 409,
    title: 'Not a text file',
    meaning: 'The file of a script or template is not UTF-8 text.',
    advice: 'Use the file in a step of type `file`, which accepts any bytes.',
  },
  git_path_missing: {
    status: 409,
    title: 'No such path',
    meaning: 'The repository has nothing at this path in the commit that was read.',
    advice: 'List the tree of the source. If the path is new, sync the source.',
  },
  git_ref_missing: {
    status: 409,
    title: 'No such branch or tag',
    meaning: 'The git source had no such branch, tag or commit at its last sync.',
    advice: 'Use an existing branch, tag or commit. If it is new, sync the source.',
  },
  git_source_unavailable: {
    status: 409,
    title: 'Source not available',
    meaning:
      'The commit is not on this machine yet, and Runward could not fetch it. `detail` contains the error of git.',
    advice: 'Correct the cause in `detail`, sync the source, and try again.',
  },
  managed_by_git: {
    status: 409,
    title: 'Managed by git',
    meaning: 'The plan comes from a file of a git source. It can only be changed in that file.',
    advice:
      'Change the file that `detail` names and sync the source, or remove its folder from the settings of the source.',
  },
  too_many_git_sources: {
    status: 409,
    title: 'Too many git sources',
    meaning: 'The tenant has reached its limit of git sources.',
    advice: 'Delete git sources that you no longer need.',
  },
  webhook_replayed: {
    status: 409,
    title: 'Call already accepted',
    meaning: 'Runward already accepted the same signed call.',
    advice: 'Nothing to do: the first call took effect.',
  },
} as const satisfies Record<string, ProblemKind>;
