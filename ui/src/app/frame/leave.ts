import { useSignOut } from '../../api/session.ts';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { clearDestination } from '../../page/sign-in-destination.ts';

/** Signs out and goes to the sign-in screen [R2.23]; the stored destination is cleared for the next user. */
export function useLeave(): () => void {
  const navigate = useNavigate();
  const signOut = useSignOut(() => {
    clearDestination(sessionStorage);
    void navigate({ to: '/auth' });
  });
  return () => signOut.mutate();
}
