import { Button, Center, Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDocumentTitle } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { meQuery, useLogin } from '../../api/queries/access/session';
import { InstallationBanner } from '../../ui/feedback/InstallationBanner';
import { FormErrors } from '../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { Logo } from '../../ui/page/Logo';
import { safePath } from './safe-path';

const route = getRouteApi('/login');
const FIELDS = ['email', 'password', 'tenant'];

export function LoginPage() {
  useDocumentTitle('Sign in · Runward');
  const { redirect } = route.useSearch();
  const router = useRouter();
  const { data: me } = useQuery(meQuery);
  const login = useLogin();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [needsTenant, setNeedsTenant] = useState(false);
  const form = useForm({ initialValues: { email: '', password: '', tenant: '' } });

  useEffect(() => {
    if (me) router.history.replace(safePath(redirect));
  }, [me, redirect, router]);

  const submit = form.onSubmit(({ email, password, tenant }) => {
    setProblem(null);
    login.mutate(
      { email, password, ...(tenant ? { tenant } : {}) },
      {
        onError: (error) => {
          const left = showErrorOnForm(form, error, (path) => FIELDS.includes(path));
          if (left?.code === 'tenant_required') setNeedsTenant(true);
          setProblem(left);
        },
      },
    );
  });

  return (
    <Center mih="100dvh" p="md" component="main">
      <Stack gap="lg" w="100%" maw={360}>
        <InstallationBanner />
        <Stack gap={6} align="center">
          <Logo size={44} />
          <Title order={1} size="h2">
            Sign in to Runward
          </Title>
          <Text c="dimmed">Run plans safely over SSH.</Text>
        </Stack>
        <Paper p="lg" radius="md">
          <form onSubmit={submit} noValidate>
            <Stack gap="sm">
              <FormErrors problem={problem} />
              <TextInput
                size="sm"
                label="E-mail address"
                type="email"
                autoComplete="username"
                autoFocus
                required
                {...form.getInputProps('email')}
              />
              <PasswordInput
                size="sm"
                label="Password"
                autoComplete="current-password"
                required
                {...form.getInputProps('password')}
              />
              {needsTenant && (
                <TextInput
                  size="sm"
                  label="Tenant"
                  autoComplete="organization"
                  required
                  {...form.getInputProps('tenant')}
                />
              )}
              <Button type="submit" size="sm" loading={login.isPending} mt={4}>
                Sign in
              </Button>
            </Stack>
          </form>
        </Paper>
      </Stack>
    </Center>
  );
}
