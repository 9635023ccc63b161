-- The board's lists come from memory (decision 0026). Drops the indexes that only these lists used, which saves
-- writes. Processes of the previous release keep working, with slower lists.

drop index job_posted_idx;
drop index job_title_idx;
drop index job_location_idx;
drop index job_company_idx;
drop index job_application_count_idx;
drop index job_salary_asc_idx;
drop index job_salary_desc_idx;
drop index job_location_words_idx;
drop index job_skills_idx;
drop index job_category_idx;
drop index job_type_idx;
drop index job_visible_idx;
drop index job_totals_idx;
