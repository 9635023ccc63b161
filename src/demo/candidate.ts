/** The demo candidate, who is fictional like everyone on the demo board. */

export const demoCandidate = {
  registration: { first_name: 'Robin', last_name: 'Demo', email: 'robin.demo@candidate.example' },
  profile: {
    headline: 'Vehicle technician who would rather test than sell',
    location: 'Umeå, Sweden',
    summary:
      'Eight years in workshops, the last three on electric cars. I find the fault before I change the part, and I write down how.',
    experience: [
      {
        title: 'Diagnostics technician',
        company: 'Fjällbil Verkstad',
        location: 'Umeå, Sweden',
        start_date: '2021-09',
        description: 'High-voltage faults, software updates, and cars that three other workshops had given up on.',
      },
      { title: 'Apprentice, then mechanic', company: 'Norrviks Bil', start_date: '2016-08', end_date: '2021-08' },
    ],
    education: [
      { institution: 'Dragonskolan', field: 'Vehicle technology', start_date: '2013-08', end_date: '2016-06' },
    ],
    skills: ['vehicle diagnostics', 'high-voltage safety', 'data logging', 'CAN'],
    is_searchable: true,
  },
  resume: {
    filename: 'robin-demo.txt',
    text: `Robin Demo
Vehicle technician, Umeå

2021 to now  Fjällbil Verkstad, diagnostics technician
             Traction batteries, insulation faults, charging that stops at 80 percent
2016 to 2021 Norrviks Bil, apprentice, then mechanic
             Brakes, gearboxes, four winters of breakdown service

Licence B and BE since 2014. High-voltage certificate. Swedish, English, some Finnish.
`,
  },
  application: {
    jobTitle: 'Cold Climate Test Driver and Technician (winter season)',
    cover_letter:
      'I have started cars at minus 35 for a living, mostly other people’s. I keep notes, I like quiet places, and a cabin of four is two fewer than at home.',
    answers: {
      license_years: 12,
      ice_experience: 'Four winters of breakdown service inland. The tow truck never slid.',
    },
    /** Answer to the question `available_from`, in days after the seeding of the board. */
    availableInDays: 14,
  },
  savedJobTitles: ['Body Structures Engineer, Closures', 'Senior Embedded Linux Developer, Infotainment'],
  alert: {
    name: 'Testing and workshop',
    criteria: { category_in: ['quality-testing', 'vehicle-service'], job_type_not: 'apprenticeship' },
    frequency: 'instant' as const,
  },
  /** The first job to try: one of the first employer's jobs, which requires only a cover letter. */
  openJobTitle: 'Body Structures Engineer, Closures',
}
