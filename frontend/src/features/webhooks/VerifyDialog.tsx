import { Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { CopyButton } from '../../ui/copy/CopyButton';
import { FormModal } from '../../ui/forms/FormOverlay';
import { SNIPPETS } from './snippets';

/** Explains how a receiver verifies message signatures. */
export function VerifyDialog({ onClose }: { onClose: () => void }) {
  return (
    <FormModal opened onClose={onClose} title="Verify message signatures" size="xl">
      <Stack gap="sm">
        <Text>
          Messages follow{' '}
          <a href="https://www.standardwebhooks.com/" target="_blank" rel="noreferrer">
            Standard Webhooks
          </a>
          , which has libraries for most languages. <Code>webhook-signature</Code> is the signature of{' '}
          <Code>webhook-id</Code>, <Code>webhook-timestamp</Code> and the body. A message can arrive more than once with
          the same <Code>webhook-id</Code>.
        </Text>
        <Tabs defaultValue={SNIPPETS[0].value} keepMounted={false}>
          <Tabs.List mb="sm">
            {SNIPPETS.map(({ value, label }) => (
              <Tabs.Tab key={value} value={value}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {SNIPPETS.map(({ value, label, code }) => (
            <Tabs.Panel key={value} value={value}>
              <Stack gap="xs">
                <Code block tabIndex={0} aria-label={`Verify with ${label}`}>
                  {code}
                </Code>
                <Group>
                  <CopyButton value={code} what="code">
                    Copy code
                  </CopyButton>
                </Group>
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </FormModal>
  );
}
