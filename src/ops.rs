//! One async function a use case, called by the dashboard and the commands alike.
