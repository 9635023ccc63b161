/**
 * Sign-in in Chromium: with passkeys, which a person adds to Chromium's virtual authenticator, and with single sign-on
 * through a real OpenID provider on loopback.
 */
import { chromium, type Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { useBoard } from '../support/board.ts'
import { chromiumPath, complaintsOf, headingOf, noticeOf } from '../support/browser.ts'
import { CLIENT, startProvider } from '../support/oidc.ts'
import { signInLinks } from '../support/sign-in.ts'

/** Browsers offer passkeys on localhost, but not on IP addresses. */
const ORIGIN = 'http://localhost'
const EMAIL = 'ada@passkeys.example'

const provider = await startProvider(ORIGIN)
afterAll(provider.stop)
const board = useBoard({
  PUBLIC_BASE_URL: ORIGIN,
  ...{ OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: CLIENT.id, OIDC_CLIENT_SECRET: CLIENT.secret },
  OIDC_NAME: 'Gearwright ID',
})
// The provider uses the machine's clock.
board.clock.time = Date.now()

const closing: (() => Promise<unknown>)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

/** Opens a blank page whose base URL is the board's public origin. Chromium maps the origin to the board's port. */
async function openPage(hasScript = true): Promise<Page> {
  const host = new URL(board.address).host
  const args = ['--no-sandbox', `--host-resolver-rules=MAP localhost:80 ${host}`]
  const browser = await chromium.launch({ executablePath: chromiumPath!, args })
  closing.push(() => browser.close())
  return browser.newPage({ baseURL: ORIGIN, javaScriptEnabled: hasScript })
}

describe.runIf(chromiumPath !== undefined)('passkeys', () => {
  const signInButton = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' })

  test('sign a person in without an email', async () => {
    await board.candidate({ email: EMAIL })
    const page = await openPage()
    const complaints = complaintsOf(page)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
    const verifyUser = (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })

    await page.goto('/sign-in')
    await signInButton(page).waitFor()
    expect(await page.getByText('Your browser didn’t complete the passkey step.').isVisible()).toBe(false)
    await page.getByLabel('Email address').fill(EMAIL)
    await page.getByRole('button', { name: 'Email me a sign-in link' }).click()
    await expect.poll(headingOf(page)).toBe('Check your inbox')
    await page.goto((await signInLinks(board, EMAIL)).at(-1)!)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()

    await expect.poll(() => new URL(page.url()).pathname).toBe('/account/access')
    await page.goto('/account/passkeys')
    await page.getByLabel('Name').fill('Work laptop')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await expect.poll(noticeOf(page)).toBe('Passkey added.')
    const row = page.getByRole('row').filter({ hasText: 'Work laptop' })
    expect(await row.textContent()).toContain('Never')

    await page.context().clearCookies()
    await page.goto('/sign-in?return_to=/account/passkeys')
    // A person whom the device does not recognize stays on the page.
    await verifyUser(false)
    await signInButton(page).click()
    await page.getByRole('alert').filter({ hasText: 'Your browser didn’t complete the passkey step.' }).waitFor()
    await verifyUser(true)
    await signInButton(page).click()
    await expect.poll(headingOf(page)).toBe('Passkeys')
    expect(await row.textContent()).not.toContain('Never')

    await row.getByRole('button', { name: 'Remove' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in')
    await signInButton(page).click()
    await page.getByText('We couldn’t sign you in with this passkey.').first().waitFor()
    // Chromium reports the status 422 of the page after the refused passkey.
    expect(complaints.filter((complaint) => !complaint.includes('422'))).toEqual([])
  })

  test('are hidden without JavaScript', async () => {
    const page = await openPage(false)
    await page.goto('/sign-in')
    expect([await signInButton(page).isVisible(), await page.getByLabel('Email address').isVisible()]).toEqual([
      false,
      true,
    ])
  })

  test('are hidden in browsers that do not support them', async () => {
    const page = await openPage()
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'))
    await page.goto('/sign-in')
    await signInButton(page).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Email address').isVisible()).toBe(true)
  })
})

test.runIf(chromiumPath !== undefined).each([true, false])(
  'single sign-on signs in a person only if their email address is verified, script: %s',
  async (hasScript) => {
    const email = `grace-${hasScript}@oidc.example`
    await board.candidate({ email })
    const page = await openPage(hasScript)
    const complaints = complaintsOf(page)
    const enter = async (isVerified: boolean) => {
      provider.state.person = { email, email_verified: isVerified }
      await page.goto('/sign-in?return_to=/me/saved-jobs')
      await page.getByText('Continue with Gearwright ID').click()
    }
    await enter(false)
    await expect.poll(() => new URL(page.url()).pathname).toBe('/sign-in')
    await page.getByText('Gearwright ID hasn’t verified').first().waitFor()
    await enter(true)
    await page.waitForURL(`${ORIGIN}/account/access?return_to=%2Fme%2Fsaved-jobs`)
    await page.getByRole('link', { name: 'Keep' }).click()
    await expect.poll(headingOf(page)).toBe('Saved jobs')
    await page.goto('/account')
    await page.getByText(email).waitFor()
    expect(complaints).toEqual([])
  },
)
