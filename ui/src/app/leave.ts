import { useSignOut } from '../api/session.ts';
import { useNavigate } from '../routing/react/router-context.tsx';
import { clearDestination } from './sign-in-destination.ts';

/** Signs out and goes to the sign-in [R2.23]; whoever comes next begins at the beginning. */
export function useLeave(): () => void {
  const navigate = useNavigate();
  const signOut = useSignOut(() => {
    clearDestination(sessionStorage);
    void navigate({ to: '/auth' });
  });
  return () => signOut.mutate();
}
