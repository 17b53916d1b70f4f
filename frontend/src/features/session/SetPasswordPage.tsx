import { Alert, Button, Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { IconCircleCheck, IconLinkOff } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { meQuery } from '../../api/queries/access/session';
import { useSetPassword } from '../../api/queries/access/sessions';
import { InstallationBanner } from '../../ui/feedback/InstallationBanner';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { ButtonLink } from '../../ui/page/links';
import { Logo } from '../../ui/page/Logo';
import { PasswordFields, passwordError, repeatError } from '../../ui/forms/PasswordFields';

const INVALID_LINK_TEXT =
  'This link was already used, expired after 72 hours, or was replaced by a newer one. Ask an admin for a new link.';

/**
 * Page on which a one-time link sets a password. The secret of the link is in the URL fragment, which browsers never
 * send.
 */
export function SetPasswordPage() {
  useDocumentTitle('Set a password · Runward');
  const secret = useLocation({ select: ({ hash }) => hash });
  const [isDone, setIsDone] = useState(false);
  const [invalidLinkText, setInvalidLinkText] = useState<string | null>(null);
  const title = isDone ? 'Your password is set' : 'Set your password';
  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack gap="lg" w="100%" maw={400}>
        <InstallationBanner />
        <Stack gap={6} align="center">
          <Logo size={44} />
          <Title order={1} size="h2">
            {title}
          </Title>
        </Stack>
        <Paper p="lg" radius="md">
          {isDone ? (
            <PasswordSet />
          ) : secret === '' || invalidLinkText === secret ? (
            <Alert color="yellow" role="alert" icon={<IconLinkOff aria-hidden />} title="Invalid link">
              <Stack gap="sm" align="flex-start">
                <Text>
                  {secret === '' ? 'The part after # is missing. Copy the complete link.' : INVALID_LINK_TEXT}
                </Text>
                <ButtonLink to="/login" variant="default">
                  Open sign-in page
                </ButtonLink>
              </Stack>
            </Alert>
          ) : (
            <SetPasswordForm
              secret={secret}
              onDone={() => setIsDone(true)}
              onInvalidLink={() => setInvalidLinkText(secret)}
            />
          )}
        </Paper>
      </Stack>
    </Center>
  );
}

function PasswordSet() {
  return (
    <Stack gap="sm">
      <Alert color="green" role="status" icon={<IconCircleCheck aria-hidden />}>
        Sign in with your e-mail address and the new password. Earlier sessions have ended.
      </Alert>
      <ButtonLink to="/login" size="sm" replace>
        Sign in
      </ButtonLink>
    </Stack>
  );
}

interface FormProps {
  secret: string;
  onDone: () => void;
  onInvalidLink: () => void;
}

function SetPasswordForm({ secret, onDone, onInvalidLink }: FormProps) {
  const { data: me } = useQuery(meQuery);
  const client = useQueryClient();
  const set = useSetPassword();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({
    initialValues: { password: '', repeated: '' },
    validate: { password: passwordError, repeated: (value, { password }) => repeatError(value, password) },
  });
  const submit = form.onSubmit(({ password }) => {
    setProblem(null);
    set.mutate(
      { secret, password },
      {
        onSuccess: () => {
          onDone();
          // The link may belong to the signed-in member, whose session has then ended.
          void client.invalidateQueries({ queryKey: meQuery.queryKey });
        },
        onError: (error) => {
          const left = showErrorOnForm(form, error, (path) => path === 'password');
          if (left?.code === 'link_invalid') onInvalidLink();
          setProblem(left);
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {me && (
          <Alert color="yellow">
            You are signed in as {me.email}. The new password applies to the member for whom this link was created.
          </Alert>
        )}
        <FormErrors problem={problem} />
        <PasswordFields
          password={{ ...form.getInputProps('password'), autoFocus: true }}
          repeated={form.getInputProps('repeated')}
        />
        <Button type="submit" size="sm" loading={set.isPending} mt={4}>
          Set password
        </Button>
      </Stack>
    </form>
  );
}
