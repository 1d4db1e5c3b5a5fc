import { useSignOut } from '../../api/session.ts';
import { useNavigate } from '../../routing/react/router-context.tsx';
import { clearDestination } from '../../page/sign-in-destination.ts';

/** The next user of this browser must not see notifications of this one. */
async function endPush(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.getRegistration('/ui/');
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
  } catch {
    // The push service can't be reached. The server sends nothing more in any case, if the user signed in only once.
  }
}

/** Signs out and goes to the sign-in screen [R2.23]; the stored destination is cleared for the next user. */
export function useLeave(): () => void {
  const navigate = useNavigate();
  const signOut = useSignOut(() => {
    clearDestination(sessionStorage);
    void endPush();
    void navigate({ to: '/auth' });
  });
  return () => signOut.mutate();
}
