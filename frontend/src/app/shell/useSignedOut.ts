import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Redirects to the sign-in page after the member has signed out. Signing in leads back to the current page. */
export function useSignedOut(signedOut: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (signedOut)
      void router.navigate({ to: '/login', search: { redirect: router.state.location.href }, replace: true });
  }, [signedOut, router]);
}
