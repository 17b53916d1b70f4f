import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Redirects to the sign-in page, which leads back here, once nobody is signed in any more. */
export function useSignedOut(signedOut: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (signedOut)
      void router.navigate({ to: '/login', search: { redirect: router.state.location.href }, replace: true });
  }, [signedOut, router]);
}
