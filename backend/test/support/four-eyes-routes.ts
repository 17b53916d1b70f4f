/**
 * Effect of each writing route on the four-eyes principle in a protected environment:
 * - `approval`: decides on a run that waits for approval
 * - `protection`: changes an environment or its protection
 * - `rights`: grants, changes or revokes rights and credentials
 * - `content`: changes what runs read
 * - `hosts`: changes the hosts of runs, or how they are reached
 * - `runs`: starts or steers runs
 * - `evidence`: keeps or deletes finished runs
 * - `aside`: changes nothing that a run or its approval reads
 */
export const FOUR_EYES_ROUTES = {
  approval: ['approveExecution', 'rejectExecution', 'withdrawApproval'],
  protection: [
    ...['createEnvironment', 'updateEnvironment', 'deleteEnvironment'],
    ...['createProtectionChange', 'agreeProtectionChange', 'rejectProtectionChange'],
    ...['releaseDepartedServer', 'keepDepartedServer'],
  ],
  rights: [
    ...['createToken', 'revokeToken', 'createServiceAccountToken', 'setPassword', 'changePassword'],
    ...['createTrustRule', 'updateTrustRule', 'deleteTrustRule', 'exchangeIdentityToken'],
    ...['createMember', 'updateMember', 'removeMember', 'createPasswordLink', 'putGrant', 'deleteGrant'],
    ...['createServiceAccount', 'updateServiceAccount', 'removeServiceAccount'],
  ],
  content: [
    ...['createScript', 'updateScript', 'deleteScript', 'restoreScript'],
    ...['createTemplate', 'updateTemplate', 'deleteTemplate', 'restoreTemplate'],
    ...['createPlan', 'updatePlan', 'deletePlan', 'restorePlan', 'importPlans'],
    ...['createGitSource', 'updateGitSource', 'deleteGitSource', 'syncGitSource', 'receiveGitCall'],
    ...['putEnvironmentVariable', 'deleteEnvironmentVariable', 'putServerVariable', 'deleteServerVariable'],
  ],
  hosts: [
    ...[
      'createServer',
      'updateServer',
      'deleteServer',
      'changeServers',
      'upsertServer',
      'importServers',
      'applyImport',
    ],
    ...[
      'setHostKeys',
      'acceptHostKey',
      'setServerProtection',
      'shareHostKey',
      'markSharedAddress',
      'unmarkSharedAddress',
    ],
    ...['createSshKey', 'updateSshKey', 'deleteSshKey', 'putSshKeyCertificate', 'deleteSshKeyCertificate'],
    ...['rotateSshKey', 'retryKeyRotation', 'giveUpKeyRotation'],
    ...['createEnrolment', 'revokeEnrolment', 'enrolHost', 'verifyEnrolledHost'],
  ],
  runs: [
    ...['startExecution', 'rerunExecution', 'cancelExecution', 'cancelExecutions', 'pauseExecution'],
    ...['decideExecution', 'switchExecutionMode', 'overrideExecutionFreeze', 'overrideExecutionWindow', 'resolveHost'],
    ...['createSchedule', 'updateSchedule', 'deleteSchedule', 'takeOverSchedule'],
  ],
  evidence: [
    ...['deleteExecution', 'pinExecution', 'unpinExecution', 'requestRetentionPass', 'putRetentionRule'],
    ...['putEnvironmentRetentionRule', 'deleteEnvironmentRetentionRule'],
  ],
  aside: [
    ...['login', 'logout', 'revokeOwnSession', 'revokeMemberSession', 'tryIdentityToken'],
    ...['createCollection', 'updateCollection', 'deleteCollection', 'createBookmark', 'deleteBookmark'],
    ...['requestChecks', 'checkServer', 'diagnoseServer'],
    ...['renderNewTemplate', 'renderTemplate', 'checkPlan', 'previewTargets', 'previewRerun', 'previewSchedule'],
    'previewRetention',
    ...['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret', 'takeOverWebhook', 'testWebhook'],
    ...['replayDeadDeliveries', 'replayDelivery'],
    ...['createNotificationRule', 'updateNotificationRule', 'deleteNotificationRule'],
    ...['testNotificationChannel', 'testNotificationRule', 'resendNotification'],
  ],
} as const;

/** What one admin can do alone according to docs/guarantees.md, with the routes for it. */
export const ALONE: readonly { text: string; routes: readonly string[] }[] = [
  {
    text: 'Override the protection of an environment at once. The override is audited, reported, and shown for seven days.',
    routes: ['createProtectionChange'],
  },
  {
    text: 'Weaken the protection after the delay, if there is no independent approver. The admin may have removed the other approvers before; each removal is audited.',
    routes: ['agreeProtectionChange', 'removeMember', 'updateMember', 'deleteGrant'],
  },
  {
    text: 'Add two people, sign in as both with their links, start a run as one and approve it as the other. Each step is audited. One added person is not enough, because a right that the requester gave does not count.',
    routes: ['createMember', 'createPasswordLink', 'updateMember', 'putGrant'],
  },
  {
    text: 'Add a person, start a run as that person, and approve the run as admin.',
    routes: ['createMember', 'createPasswordLink'],
  },
  {
    text: "Use an added person to approve a run of the admin. This works only if the person was added before the plan's first start in that environment, or another run of the plan was approved there after the person was added.",
    routes: ['createMember', 'createPasswordLink', 'putGrant'],
  },
  {
    text: 'Add a person, request a protection change as that person, and agree to it seven days later.',
    routes: ['agreeProtectionChange'],
  },
  { text: 'Create a trust rule, and approve the runs of its jobs.', routes: ['createTrustRule', 'updateTrustRule'] },
  {
    text: 'Release the host of a server that left a protected environment by an override (audited, reported). Without an override, this needs a second approver or the delay.',
    routes: ['releaseDepartedServer'],
  },
  {
    text: 'Mark a host key or address as shared by several machines (audited). Other environments can then reach a protected host with this key or address by its other addresses or ports.',
    routes: ['shareHostKey', 'markSharedAddress'],
  },
  {
    text: 'Confirm a host that was proved in another environment (`confirmHosts`, audited). Runs of that environment can then no longer reach the host.',
    routes: ['createServer', 'updateServer', 'changeServers', 'upsertServer', 'importServers', 'acceptHostKey'],
  },
  {
    text: 'Start a run during a freeze or outside run windows by an override (audited). The run still needs its approval.',
    routes: ['startExecution', 'rerunExecution', 'overrideExecutionFreeze', 'overrideExecutionWindow'],
  },
  {
    text: 'Delete runs that have no legal hold (an audit entry remains), and shorten retention.',
    routes: ['deleteExecution', 'putRetentionRule', 'putEnvironmentRetentionRule', 'deleteEnvironmentRetentionRule'],
  },
];
