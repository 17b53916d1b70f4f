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
    ...['createCollection', 'updateCollection', 'deleteCollection'],
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
    text: 'override the protection of an environment at once (audited, reported, shown for seven days);',
    routes: ['createProtectionChange'],
  },
  {
    text: 'weaken it after the delay, where no independent approver is left, also when they removed the other approvers before (each removal is audited);',
    routes: ['agreeProtectionChange', 'removeMember', 'updateMember', 'deleteGrant'],
  },
  {
    text: 'add two people, use their links to sign in as both, start a run as one and approve it as the other. Each step is audited. One added person is not enough: a right from who asked for the run does not count for it;',
    routes: ['createMember', 'createPasswordLink', 'updateMember', 'putGrant'],
  },
  {
    text: 'add a person and approve, themselves, a run which they start as that person;',
    routes: ['createMember', 'createPasswordLink'],
  },
  {
    text: 'use an added person as an approver of their own run after another run of the plan was approved there since, or before the plan is first started there;',
    routes: ['createMember', 'createPasswordLink', 'putGrant'],
  },
  {
    text: 'agree, seven days later, to a protection change by a person whom they added;',
    routes: ['agreeProtectionChange'],
  },
  { text: 'write a trust rule, and approve the runs of its jobs;', routes: ['createTrustRule', 'updateTrustRule'] },
  {
    text: 'release the host of a server that left a protected environment by an override (audited, reported); without one it takes a second approver, or the delay;',
    routes: ['releaseDepartedServer'],
  },
  {
    text: 'mark a host key or address as shared by several machines (audited): a protected host with it is then reached by its other addresses or ports;',
    routes: ['shareHostKey', 'markSharedAddress'],
  },
  {
    text: "confirm a host that was proved in another environment (`confirmHosts`, audited): the other environment's runs are then kept away from it;",
    routes: ['createServer', 'updateServer', 'changeServers', 'upsertServer', 'importServers', 'acceptHostKey'],
  },
  {
    text: 'start a run during a freeze or outside run windows by an override (audited); it still needs its approval;',
    routes: ['startExecution', 'rerunExecution', 'overrideExecutionFreeze', 'overrideExecutionWindow'],
  },
  {
    text: 'delete runs that are under no legal hold (the audit entry stays), and shorten retention.',
    routes: ['deleteExecution', 'putRetentionRule', 'putEnvironmentRetentionRule', 'deleteEnvironmentRetentionRule'],
  },
];
