import type { ProblemKind } from './problem-kind.js';

/** Problems of git sources and of what is read from them. */
export const GIT_PROBLEMS = {
  git_content_missing: {
    status: 409,
    title: 'Content not in the repository',
    meaning:
      'The repository holds only a pointer to the file (Git LFS, git-annex, git-fat), or a copy that git-crypt encrypted.',
    advice: 'Commit the file itself, or let the hosts fetch it.',
  },
  git_file_too_large: {
    status: 409,
    title: 'File too large',
    meaning: 'The file of a git source has more bytes than are read of one.',
    advice: 'Keep large files elsewhere, and have the hosts fetch them.',
  },
  git_not_a_file: {
    status: 409,
    title: 'Not a file',
    meaning:
      'At this path of the repository stands a folder, a symbolic link or a submodule. Links are never followed.',
    advice: 'Give the path of the file itself.',
  },
  git_not_a_folder: {
    status: 409,
    title: 'Not a folder',
    meaning: 'At this path of the repository stands no folder. Links and submodules are never followed.',
    advice: 'Give the path of a folder.',
  },
  git_not_synced: {
    status: 409,
    title: 'Not synced',
    meaning: 'The git source was never synced, so that nobody knows what it holds.',
    advice: 'Sync it, and look at its `error` if that fails.',
  },
  git_not_text: {
    status: 409,
    title: 'Not a text',
    meaning: 'A script or template stands in a file that is no text in UTF-8.',
    advice: 'Use the file in a step of type `file`, which takes any bytes.',
  },
  git_path_missing: {
    status: 409,
    title: 'No such path',
    meaning: 'The repository has nothing at this path in the commit that was looked at.',
    advice: 'Look at the tree of the source, or sync it if the path is new.',
  },
  git_ref_missing: {
    status: 409,
    title: 'No such branch or tag',
    meaning: 'The git source had no such branch, tag or commit when it was synced last.',
    advice: 'Name one that it has, or sync the source if the name is new.',
  },
  git_source_unavailable: {
    status: 409,
    title: 'Source not available',
    meaning: 'The commit is not on this machine yet and could not be fetched; `detail` tells why in the words of git.',
    advice: 'Mend what `detail` names, sync the source, and try again.',
  },
  managed_by_git: {
    status: 409,
    title: 'Managed by git',
    meaning: 'The plan comes from a file of a git source, and is changed there only.',
    advice:
      'Change the file that `detail` names and sync the source, or take its folder from the settings of the source.',
  },
  too_many_git_sources: {
    status: 409,
    title: 'Too many git sources',
    meaning: 'The tenant has as many git sources as it may have.',
    advice: 'Delete git sources that are not needed any more.',
  },
  webhook_replayed: {
    status: 409,
    title: 'Call accepted before',
    meaning: 'The same signed call was accepted before.',
    advice: 'Nothing is to be done: the first one had its effect.',
  },
} as const satisfies Record<string, ProblemKind>;
