import { Alert, Box, Code, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { GitSource } from '../../../api/types';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { bytes, limit, plural } from '../../../ui/format/format';
import { RelativeTime } from '../../../ui/format/RelativeTime';
import { Fact } from '../../../ui/page/Fact';
import { AnchorLink } from '../../../ui/page/links';
import { isHostKeyState, shortCommit } from './source-state';

export function SourceFacts({ source }: { source: GitSource }) {
  const { url, branch, headBranch, commit, syncedAt, files, bytes: size, leftOutRefs, webhook } = source;
  return (
    <Stack gap="md">
      {source.reason !== null && !isHostKeyState(source.state) && (
        <SyncError source={source} error={source.reason.text} />
      )}
      <Paper component="section" aria-label="Source" p="md">
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
          <Fact label="URL">
            <span className="rw-mono rw-wrap-anywhere">{url}</span>
          </Fact>
          <Fact label="Branch">{branch ?? (headBranch ? `${headBranch} (default branch)` : 'Default branch')}</Fact>
          <Fact label="Commit">
            {commit === null ? (
              'None yet'
            ) : (
              <>
                <Code title={commit}>{shortCommit(commit)}</Code> <CopyButton value={commit} what="commit" />
              </>
            )}
          </Fact>
          <Fact label="Last successful sync">
            <RelativeTime at={syncedAt} never="Never" />
          </Fact>
          <Fact label="Sync">
            {source.syncEverySeconds === null ? 'Manually' : `Every ${limit(source.syncEverySeconds * 1000)}`}
            {source.nextSyncAt !== null && (
              <>
                , next <RelativeTime at={source.nextSyncAt} />
              </>
            )}
          </Fact>
          <Fact label="Size">
            {files === null ? 'Unknown' : plural(files, 'file')}
            {size !== null && `, ${bytes(size)} with its history`}
          </Fact>
          <Fact label="Authentication">
            <CredentialText source={source} />
          </Fact>
          {source.hostKey && (
            <Fact label="Accepted host key">
              <span className="rw-mono rw-wrap-anywhere">
                {[source.hostKey.type, source.hostKey.fingerprint].filter(Boolean).join(' ')}
              </span>
            </Fact>
          )}
          <Fact label="Webhook">
            <CopyButton value={window.location.origin + webhook.path} what="webhook address">
              Copy address
            </CopyButton>
            <Text size="xs" c="dimmed" mt={2}>
              {webhook.configured
                ? 'For GitHub, GitLab, Gitea and Forgejo, with the secret.'
                : 'Requests are refused until you set a secret: edit the git source.'}
            </Text>
          </Fact>
        </SimpleGrid>
        {leftOutRefs > 0 && (
          <Text size="xs" c="dimmed" mt="sm">
            {plural(leftOutRefs, 'branch or tag is', 'branches and tags are')} skipped because of unsupported characters
            in the name.
          </Text>
        )}
      </Paper>
    </Stack>
  );
}

function CredentialText({ source: { credential } }: { source: GitSource }) {
  if (credential === null) return 'None';
  if (credential.sshKeyId === null) return `Token, as ${credential.user ?? ''}`;
  return (
    <>
      SSH key{' '}
      <AnchorLink to="/keys/$id" params={{ id: credential.sshKeyId }} search={{}} underline="always">
        {credential.sshKeyName ?? '(deleted)'}
      </AnchorLink>
    </>
  );
}

function SyncError({ source, error }: { source: GitSource; error: string }) {
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The latest sync failed">
      <Box component="pre" className="rw-mono rw-pre-wrap" m={0}>
        {error}
      </Box>
      <Text size="xs" mt={4}>
        Last attempt <RelativeTime at={source.syncFinishedAt} never="" />
        {source.commit === null ? '.' : '. Runs use the commit of the last successful sync.'}
      </Text>
    </Alert>
  );
}
